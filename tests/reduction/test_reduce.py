"""What is planned in place of a group: limits of members."""

from __future__ import annotations

import equilag


def test_a_limit_beyond_64_bits_is_none() -> None:
    group = equilag.Group.build(
        name="g", topics={"t": 3}, members=["a", "b"], subscriptions={"a": ["t"], "b": ["t"]}
    )
    plan = equilag.solve(group, effort=0.01, max_partitions=2**70)
    assert plan.counts.max == 2
    assert equilag.verify(group, plan) == []
