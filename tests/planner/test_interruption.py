"""A run that is told to end gives the best plan so far, wherever it is."""

from __future__ import annotations

from threading import Event
from typing import Final

import numpy as np
import pytest
from support.groups import group_of, random_group

import equilag
from equilag.domain.policy.policy_settings import POLICIES
from equilag.planner.solving.stage import Progress

GROUP: Final = random_group(np.random.default_rng(8), 20, 6, 80)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_at_any_report(policy: str, at: int) -> None:
    stop, seen = Event(), []

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) > at:
            stop.set()

    plan = equilag.solve(GROUP, policy, time_limit=60.0, progress=watch, stop=stop)
    assert equilag.verify(GROUP, plan) == []
    assert plan.wall_s < 30
    if stop.is_set():
        assert plan.interrupted
        assert not plan.repeatable
        assert plan.to_dict()["interrupted"] is True


def test_before_the_start() -> None:
    stop = Event()
    stop.set()
    plan = equilag.solve(GROUP, stop=stop)
    assert (plan.status, plan.interrupted) == ("fallback", True)
    assert equilag.verify(GROUP, plan) == []
    limited = group_of([4], [[0]] * 2, owners=[0, 0, 0, 0])
    with pytest.raises(equilag.InputError, match="max_moves"):
        equilag.solve(limited, max_moves=1, stop=stop)


def test_a_run_that_nobody_stops_says_nothing() -> None:
    plan = equilag.solve(group_of([4], [[0]] * 2, lags=[4, 3, 2, 1]), stop=Event())
    assert not plan.interrupted
    assert "interrupted" not in plan.to_dict()


def test_the_front_so_far() -> None:
    stop = Event()
    stop.set()
    points = equilag.frontier(GROUP, stop=stop)
    assert points
    assert all(point.spread_lower_bound <= point.spread for point in points)
