"""All answers about a group, part by part."""

from __future__ import annotations

from threading import Event

from support.orders_service import orders_group

from equilag.domain.policy.policy import Policy
from equilag.planner.all_answers import AnswerRun, all_answers
from equilag.planner.solve import solve


def test_a_run_that_is_told_to_end_leaves_out_what_it_has_not_begun() -> None:
    stop = Event()
    stop.set()
    found = all_answers(orders_group(), Policy(), AnswerRun(5.0, stop=stop))
    assert found.plan.interrupted
    assert found.is_stopped
    others = (found.explanation, found.comparison, found.points, found.simulation, found.sizing)
    assert others == (None,) * 5


def test_sizes_are_of_rates_where_they_are_known() -> None:
    rates = {"orders": [10.0] * 5, "payments": [1.0] * 4}
    run = AnswerRun(60.0, effort=0.05)
    found = all_answers(orders_group(rates=rates), Policy(max_moves=2), run)
    assert found.sizing is not None
    assert found.sizing.basis.kind == "rate"
    assert found.simulation is None
    assert all_answers(orders_group(rates=rates, members=[]), Policy(), run).sizing is None


def test_the_plan_is_that_of_the_same_settings() -> None:
    group, run = orders_group(), AnswerRun(9.0, effort=0.05, seed=3)
    made = solve(group, Policy(max_moves=2), time_limit=9.0, effort=0.05, seed=3)
    found = all_answers(group, Policy(max_moves=2), run)
    assert {**found.plan.to_dict(), "timing": None} == {**made.to_dict(), "timing": None}
    assert run.options() == {"time_limit": "9", "effort": "0.05", "deterministic": False, "seed": 3}
    assert all_answers(group, Policy(), run, plan=made).plan is made
