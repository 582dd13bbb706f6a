"""A run that is told to end gives the best plan so far, and all answers that it has begun."""

from __future__ import annotations

from threading import Event
from typing import Final

import numpy as np
import pytest
from support.groups import group_of, random_group
from support.orders_service import orders_group

import equilag
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import POLICIES
from equilag.planner.all_answers import all_answers, run_options
from equilag.planner.solve import solve
from equilag.planner.solving.run_settings import RunSettings
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


def test_a_run_that_is_told_to_end_leaves_out_what_it_has_not_begun() -> None:
    stop = Event()
    stop.set()
    found = all_answers(orders_group(), Policy(), {"time_limit": 5.0, "stop": stop})
    assert found.plan.interrupted
    assert found.is_stopped
    others = (found.explanation, found.comparison, found.points, found.simulation, found.sizing)
    assert others == (None,) * 5


def test_sizes_are_of_rates_where_they_are_known() -> None:
    rates = {"orders": [10.0] * 5, "payments": [1.0] * 4}
    run = RunSettings(time_limit=60.0, effort=0.05)
    found = all_answers(orders_group(rates=rates), Policy(max_moves=2), run)
    assert found.sizing.basis.kind == "rate"
    assert found.simulation is None
    assert all_answers(orders_group(rates=rates, members=[]), Policy(), run).sizing is None


def test_the_plan_is_that_of_the_same_settings() -> None:
    group, run = orders_group(), RunSettings(time_limit=9.0, effort=0.05, seed=3)
    made = solve(group, Policy(max_moves=2), time_limit=9.0, effort=0.05, seed=3)
    found = all_answers(group, Policy(max_moves=2), run)
    assert {**found.plan.to_dict(), "timing": None} == {**made.to_dict(), "timing": None}
    assert run_options(run) == {
        "time_limit": "9",
        "effort": "0.05",
        "deterministic": False,
        "seed": 3,
    }
    assert all_answers(group, Policy(), run, plan=made).plan is made
