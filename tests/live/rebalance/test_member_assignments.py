"""What each member gets in one rebalance."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.live.rebalance.joined_members import (
    JoinedMember,
    assignments_now,
    count_withheld,
    group_of,
)

GROUP = group_of(
    "g",
    [JoinedMember("a", ("t",), {"t": [0, 1]}), JoinedMember("b", ("t",), {"t": [2]})],
    {"t": 3, "unsubscribed": 1},
)
PLANNED = np.array([0, 1, 1, -1])
"""Partition 1 moves from a to b."""


def test_a_cooperative_group_waits_for_claims() -> None:
    now = assignments_now(GROUP, PLANNED, cooperative=True)
    assert now == {"a": {"t": [0]}, "b": {"t": [2]}}
    assert count_withheld(GROUP, now) == 1


@pytest.mark.parametrize("wrong", [[0, -1, 1, -1], [0, 1, 1, 0]])
def test_an_invalid_assignment_is_refused(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="exactly one of its subscribers"):
        assignments_now(GROUP, np.array(wrong), cooperative=False)
