"""The whole screen of each kind of report, as in screens/: every line, column and sentence of it.

Other tests of a report are on its facts, on cases that a whole screen does not have, and on widths.
After a wanted change the screens are written again with WRITE_SCREENS=1.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from equilag.report.facts.comparison import comparison_facts
from equilag.report.facts.explanation import explanation_facts
from equilag.report.facts.fleets.fleet import fleet_facts
from equilag.report.facts.frontier import frontier_facts
from equilag.report.facts.live_groups import LiveGroupFacts, LiveGroupsFacts
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.facts.plans.verification import verification_facts
from equilag.report.facts.simulation import simulation_facts
from equilag.report.facts.size import size_facts
from equilag.report.text.tables.pages import text_for
from support.fleet_rows import FAILURES, KEPT, ROW, SUMMARY, fleet_report
from support.groups import group_of
from support.orders_service import orders_group, orders_snapshot
from support.slow_member import even_assignment, slow_group

import equilag
from equilag.certificate.verify import VerificationReport
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Choice
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.compare import Comparison, ComparisonRow
from equilag.planner.frontier import Point
from equilag.planner.simulate import simulate
from equilag.report.terminal import Screen

SCREENS: Final = Path(__file__).with_name("screens")


def plan() -> Any:
    """A plan of an assignor that has everything that an optimised one has."""
    made = assign(orders_group(), "range")
    choices = (Choice("fewest moves", 1, 370, 230.0), Choice("most even", 5, made.lag.spread, 30.0))
    claims = (
        Claim("spread_at_least", 40, "difference"), Claim("counts", 4, "residual"),
        Claim("fewest_moves", 1, "potentials"), Claim("excess_at_least", 9, "cp-sat", {}, "solver"),
    )  # fmt: skip
    settings = Policy("lag-aware", "both", 7, 2.5, 6)
    found = replace(made, claims=claims, policy=settings, choices=choices, status="feasible")
    found = replace(found, spread_lower_bound=40, moves_lower_bound=1, excess_lower_bound=9)
    run = replace(found, algorithm="sweeps", wall_s=0.25, time_limit=2.0, notes=("one\nnote",))
    return plan_facts(replace(run, interrupted=True), verbose=True)


def plan_of_a_doubtful_group() -> Any:
    """Nobody reads a topic, a member is idle, claims are dropped, lags are unknown."""
    held = {"gone": [0], "payments": [1, 2]}
    members = [
        {"id": "a", "subscription": ["orders"], "owned": held},
        {"id": "b", "subscription": ["orders"]},
        {"id": "idle", "subscription": ["not-yet"]},
    ]
    offsets = {"log_start": [5] * 5, "log_end": [9] * 5, "committed": [None, 10, 1, 9, None]}
    group = orders_group(
        topics={"orders": 5, "payments": 4, "audit": 2}, members=members, lags={},
        offsets={"orders": offsets},
    )  # fmt: skip
    made = replace(assign(group, "fair"), policy=Policy(), wall_s=0.25)
    return plan_facts(replace(made, status="fallback", interrupted=True))


def plan_of_an_extended_group() -> Any:
    both = {"subscription": ["a", "b"]}
    members: list[dict[str, Any]] = [
        {"id": "m0", "rack": "x", "instance": "p", "capacity": 1234.5, **both},
        {"id": "m1", "rack": "x", "instance": "p", **both},
        {"id": "m2", "max_partitions": 9, **both},
    ]
    members[0]["owned"] = {"a": [*range(6)], "b": [*range(6)]}
    group = equilag.load_snapshot({
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 6, "b": 6},
        "members": members, "lags": {"a": [*range(0, 60, 10)]}, "co_partitioned": [["a", "b"]],
        "allowed": {"a": {"3": ["m1"]}}, "racks": {"a": [["x"]] * 3 + [["y"]] * 3},
    })  # fmt: skip
    return plan_facts(equilag.solve(group, "fair-yet-sticky", effort=0.05, time_limit=60))


def row(assignor: str, spread: int, gap: float, **more: Any) -> ComparisonRow:
    return replace(ComparisonRow(assignor, 1, 2, 3000, spread, 2 * spread, gap, 1.5), **more)


def comparison() -> Any:
    group = orders_group()
    empty = (None,) * 7
    rows = (
        row("current", 600, 12.0),
        row("range", 80, -2.5, beyond_reasons=("counts", "moves")),
        ComparisonRow("mine", *empty, "failed", None, "no\x1b idea", "my-package 1.0"),
        ComparisonRow("other", *empty, "not run"),
        row("equilag", 90, 0.0, status="optimal", evidence="solver"),
    )
    return comparison_facts(group, Comparison(rows, 90, assign(group, "range")))


def frontier() -> Any:
    points = [Point(0, 762, 762, 357.0), Point(2, 381, 100, 178.5), Point(3, 0, 0, 0.0)]
    return frontier_facts(orders_group(), points, Policy(), run={"seed": 0})


def frontier_that_is_proved() -> Any:
    points = [Point(0, 762, 762, 357.0, 357.0, "checked"), Point(3, 5, 5, 0.0, 0.0, "checked")]
    return frontier_facts(orders_group(), points, Policy())


def frontier_of_nothing() -> Any:
    return frontier_facts(orders_group(members=[]), [], Policy())


def explanation() -> Any:
    lags = [90, 10, 1, 30, 5, 5, 200, 7]
    group = group_of([6, 2], [[0], [0], [0, 1]], owners=[0, 0, 1, 1, 2, 2, 2, 2], lags=lags)
    return explanation_facts(equilag.explain(group, effort=0.1, time_limit=60))


def simulation() -> Any:
    return simulation_facts(simulate(slow_group(), even_assignment(), duration=600))


def size() -> Any:
    rates = {"orders": [10.0] * 5, "payments": [1.0] * 4}
    fields = orders_snapshot(rates=rates)
    fields["members"] = [{**one, "capacity": 25} for one in fields["members"]]
    group = equilag.load_snapshot(fields)
    return size_facts(group, equilag.size(group, effort=0.1, catch_up=120))


def fleet() -> Any:
    few = replace(KEPT, group="few", verdict="members", members_short=2, short_now=3_000.0)
    nobody = replace(ROW, group="new", max_now=None, spread_now=None, excess_now=None)
    rows = (
        replace(ROW, throughput=KEPT),
        replace(ROW, group="few", throughput=few, status="feasible", gap_percent_of_mean=0.004),
        replace(nobody, evidence="solver"),
    )
    return fleet_facts(fleet_report(*rows, failures=FAILURES), 20)


def fleet_without_faults() -> Any:
    """Optima rest on a solver, every group was planned, and no sample has a fault."""
    row, planned = replace(ROW, evidence="solver"), {**SUMMARY["planned"], "optimal_by_solver": 2}
    late = {"faults": {"late": {"count": 0, "groups": 0}}}
    return fleet_facts(fleet_report(row, planned=planned, failures=(), quality=late), 20)


def groups() -> Any:
    one = LiveGroupFacts("orders", "Stable", "classic", 3, 48, 12_345, 678, "c-1", 62.5, 1, ["x"])
    none = replace(one, group="", members=0, lag_spread=None, worst_share_percent=None)
    nothing = dict.fromkeys(("members", "partitions", "lag", "worst_member"))
    share = replace(none, group="s\x1b", kind="share", unknown_lags=0, **nothing)
    return LiveGroupsFacts((one, none, share), {"c": "no right"})


def verification() -> Any:
    report = VerificationReport(unproved=["spread_at_least 7 (cp-sat)"], proved=["counts 3 (a)"])
    return verification_facts(orders_group(), "p.json", report)


MADE: Final[dict[str, Callable[[], Any]]] = {
    one.__name__: one
    for one in (
        plan, plan_of_a_doubtful_group, plan_of_an_extended_group, comparison, frontier,
        frontier_that_is_proved, frontier_of_nothing, explanation, simulation, size, fleet,
        fleet_without_faults, groups, verification,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_screen(name: str) -> None:
    path, text = SCREENS / f"{name}.txt", text_for(MADE[name](), Screen(100))
    if os.environ.get("WRITE_SCREENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_every_screen_is_of_a_kind_of_report() -> None:
    assert {path.stem for path in SCREENS.iterdir()} == MADE.keys()
