"""Plans between one with few moves and one with few reads across racks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equilag.domain.constraint import constraint_of
from equilag.domain.group.group import Group, Index, Member
from equilag.domain.plan.metrics import count_moves, cross_reads
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.moves.between_plans import between_plans

RACKS = ("a", "b", "c")
LIMITED = Policy(max_cross_rack=0)


def drawn(seed: int, members: int = 6, partitions: int = 30) -> tuple[Group, Index, Index]:
    """A group with racks and one subscription, and two assignments with the same even counts."""
    rng = np.random.default_rng(seed)
    ids = [f"m{n}" for n in range(members)]
    owner = rng.integers(members, size=partitions)
    given = Group.build(
        name="g",
        topics={"t": partitions},
        members=[Member(name, rack=RACKS[n % 3]) for n, name in enumerate(ids)],
        subscriptions={name: ["t"] for name in ids},
        owned={name: {"t": np.flatnonzero(owner == n).tolist()} for n, name in enumerate(ids)},
        racks={"t": [[RACKS[n]] for n in rng.integers(3, size=partitions)]},
    )
    even = np.arange(partitions, dtype=np.int32) % members
    return reduce_group(given, LIMITED).group, rng.permutation(even), rng.permutation(even)


@pytest.mark.parametrize("seed", range(20))
def test_it_keeps_to_counts_and_limit(seed: int) -> None:
    group, one, other = drawn(seed)
    if cross_reads(group, one) < cross_reads(group, other):
        one, other = other, one
    fewest, most = cross_reads(group, other), cross_reads(group, one)
    counts = constraint_of(group, Policy(), one)
    for limit in range(fewest, most + 1):
        found = between_plans(group, counts, one, other, limit)
        assert cross_reads(group, found) <= limit
        assert counts.admits(found)
        taken_over = (found == one) | (found == other)
        assert taken_over.all()
    assert np.array_equal(found, one)  # without a read too many nothing changes


def test_steps_cost_fewer_moves_than_the_whole_way() -> None:
    """From the owners' own plan: half of the reads for fewer moves than all of them."""
    better = 0
    for seed in range(20):
        group, one, other = drawn(seed)
        group = replace(group, owner=one)
        reads = cross_reads(group, one), cross_reads(group, other)
        if reads[0] <= reads[1] + 2:
            continue
        counts = constraint_of(group, Policy(), one)
        found = between_plans(group, counts, one, other, sum(reads) // 2)
        better += count_moves(group, found) < count_moves(group, other)
    assert better > 2
