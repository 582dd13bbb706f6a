"""The stage of exact transfers: perfect plans, proved, for one subscription and for several."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of

from equilag import solve, verify


def lags(n: int, top: int, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng(seed).integers(1, top + 1, n)


@pytest.mark.parametrize(("n_partitions", "n_members", "top"), [(100, 10, 10**6), (60, 5, 10**6)])
def test_a_perfect_plan_is_proved(n_partitions: int, n_members: int, top: int) -> None:
    values = lags(n_partitions, top)
    group = group_of([n_partitions], [[0]] * n_members, lags=values)
    plan = solve(group, tolerance=0, effort=2.0, time_limit=60.0)
    assert plan.lag.spread == int(int(values.sum()) % n_members > 0)
    assert plan.status == "optimal"
    assert not verify(group, plan)
    again = solve(group, tolerance=0, effort=2.0, time_limit=60.0)
    assert again.assignment == plan.assignment


def test_classes_of_alike_members_are_even_by_themselves() -> None:
    values = np.concatenate((lags(60, 10**4), lags(60, 10**6, seed=2)))
    group = group_of([60, 60], [[0]] * 5 + [[1]] * 5, lags=values)
    plan = solve(group, tolerance=0, effort=2.0, time_limit=60.0)
    loads = list(plan.lag.by_member.values())
    assert max(loads[:5]) - min(loads[:5]) <= 1
    assert max(loads[5:]) - min(loads[5:]) <= 1
