"""How many partitions break the rules of a policy."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.fitting_policy import count_broken
from equilag.live.rebalance.joined_members import JoinedMember, group_of


def group() -> Group:
    members = [JoinedMember(name, ("t", "u")) for name in ("a", "b")]
    return group_of("g", members, {"t": 3, "u": 3})


@pytest.mark.parametrize(
    ("policy", "broken"),
    [
        (Policy(), 0),
        (Policy(rack_aware=True), 0),
        (Policy(co_partition=[["t", "u"]]), 2),
        (Policy(pin={("t", 0): "b", ("t", 1): "b"}), 1),
        (Policy(pin={("t", 0): "b", ("t", 1): "away"}), 1),
        (Policy(max_partitions=3), 1),
        (Policy(co_partition=[["t", "u"]], pin={("t", 0): "b"}), 3),
        (Policy(balance="per-topic", pin={("t", 0): "b"}), 1),
    ],
)
def test_broken_rules(policy: Policy, broken: int) -> None:
    assigned = np.array([0, 1, 0, 0, 0, 1], dtype=np.int32)
    assert count_broken(group(), policy, assigned) == broken
