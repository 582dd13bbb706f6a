"""A report is made part by part."""

from __future__ import annotations

from threading import Event

from equilag.report.facts.frontier import PointFacts
from equilag.report.facts.group_report import settings_of_point
from equilag.report.make_group_report import ReportRun, make_group_report
from support.orders_service import orders_group

from equilag.domain.policy.policy import Policy
from equilag.planner.solve import solve


def test_a_run_that_is_told_to_end_leaves_out_what_it_has_not_begun() -> None:
    stop = Event()
    stop.set()
    facts = make_group_report(orders_group(), Policy(), "g.json", ReportRun(5.0, stop=stop))
    parts = (facts.explanation, facts.comparison, facts.frontier, facts.simulation, facts.sizing)
    assert parts == (None,) * 5
    document = facts.document()
    assert document["frontier"] is None
    assert document["verdict"]["headline"]


def test_sizes_are_of_rates_where_they_are_known() -> None:
    rates = {"orders": [10.0] * 5, "payments": [1.0] * 4}
    run = ReportRun(60.0, effort=0.05)
    facts = make_group_report(orders_group(rates=rates), Policy(max_moves=2), "g.json", run)
    assert facts.sizing is not None
    assert facts.sizing.sizing.basis.kind == "rate"
    assert facts.simulation is None
    nobody = make_group_report(orders_group(rates=rates, members=[]), Policy(), "g.json", run)
    assert nobody.sizing is None


def test_the_settings_of_a_point() -> None:
    point = PointFacts(3, 10.0, 10.0, 1.0, 5.0, 50.0, None, ())
    assert settings_of_point(point, Policy()) == {"max_moves": 3, "tolerance": 0}
    moves_first = Policy("fair-yet-sticky", move_cost=5, tolerance=0)
    wanted = {"max_moves": 3, "policy": "lag-aware", "move_cost": 0}
    assert settings_of_point(point, moves_first) == wanted


def test_the_plan_is_that_of_the_command_on_the_page() -> None:
    group, run = orders_group(), ReportRun(9.0, effort=0.05, seed=3)
    facts = make_group_report(group, Policy(max_moves=2), "g.json", run)
    made = solve(group, Policy(max_moves=2), time_limit=9.0, effort=0.05, seed=3)
    assert {**facts.plan.plan.to_dict(), "timing": None} == {**made.to_dict(), "timing": None}
    assert facts.document()["command"] == (
        "equilag plan g.json --max-moves 2 --time-limit 9 --effort 0.05 --seed 3"
    )
    given = make_group_report(group, Policy(max_moves=2), "g.json", run, plan=made)
    assert given.document()["command"] == "equilag plan g.json --max-moves 2"
