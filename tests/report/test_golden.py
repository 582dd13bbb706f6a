"""The blocks of each kind of report, as in golden/: every figure, column and sentence of it.

Other tests of a report are on cases that these do not have, and on how blocks are written. After a
wanted change the files are written again with WRITE_GOLDEN=1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from support.fleet_rows import KEPT, ROW, SUMMARY, fleet_gaps, fleet_report, many_groups
from support.group_pages import report_of
from support.groups import group_of
from support.json_schemas import findings
from support.orders_service import (
    even_assignment,
    orders_group,
    orders_snapshot,
    slow_group,
    slow_snapshot,
)
from support.reports import agrees, golden
from support.steward_fakes import made_steward

import equilag
from equilag.certificate.verify import VerificationReport
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan_figures import Choice
from equilag.domain.policy.policy import Policy
from equilag.live.status.steward_report import StewardReport
from equilag.planner.assign import assign
from equilag.planner.compare import Comparison, ComparisonRow
from equilag.planner.facts.front import front_facts
from equilag.planner.frontier import Point
from equilag.planner.simulate import simulate
from equilag.report import report_blocks as b
from equilag.report.reports.comparison import ComparisonReport
from equilag.report.reports.configuration import ConfigReport, SettingInForce
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.fleet import FleetReport
from equilag.report.reports.frontier import FrontierReport
from equilag.report.reports.group_report import GroupReport
from equilag.report.reports.groups import GroupsReport, LiveGroupFacts
from equilag.report.reports.plan import PlanReport, VerdictReport
from equilag.report.reports.readiness import (
    BrokerReadiness,
    GroupReadiness,
    NextStep,
    ReadinessReport,
)
from equilag.report.reports.simulation import SimulationReport
from equilag.report.reports.size import SizeReport
from equilag.report.reports.verification import CheckReport

FOLDER: Final = Path(__file__).with_name("golden")


def plan() -> b.Report:
    """A plan of an assignor that has everything that an optimised one has."""
    made = assign(orders_group(), "range")
    choices = (Choice("fewest moves", 1, 370, 230.0), Choice("most even", 5, made.lag.spread, 30.0))
    claims = (
        Claim("spread_at_least", 40, "difference"), Claim("counts", 4, "residual"),
        Claim("fewest_moves", 1, "potentials"), Claim("excess_at_least", 9, "cp-sat", {}, "solver"),
    )  # fmt: skip
    settings = Policy("lag-aware", "both", 7, 2.5, 6)
    found = replace(made, claims=claims, policy=settings, choices=choices, status="feasible")
    run = replace(found, algorithm="sweeps", wall_s=0.25, time_limit=2.0, notes=("one\nnote",))
    return PlanReport(replace(run, interrupted=True), verbose=True)


def verdict() -> b.Report:
    members = [f"worker-{n}" for n in range(3)]
    owned = {name: {"t": [2 * n, 2 * n + 1]} for n, name in enumerate(members)}
    group = equilag.Group.build(
        name="g", topics={"t": 6}, members=members, subscriptions={m: ["t"] for m in members},
        owned=owned, lags={"t": [9_000, 1, 400, 500, 1, 2]},
    )  # fmt: skip
    return VerdictReport(equilag.solve(group, effort=0.05, time_limit=60))


def plan_of_a_doubtful_group() -> b.Report:
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
    return PlanReport(replace(made, status="fallback", interrupted=True))


def plan_of_an_extended_group() -> b.Report:
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
    return PlanReport(equilag.solve(group, "fair-yet-sticky", effort=0.05, time_limit=60))


def row(assignor: str, spread: int, gap: float, **more: Any) -> ComparisonRow:
    return replace(ComparisonRow(assignor, 1, 2, 3000, spread, 2 * spread, gap, 1.5), **more)


def comparison() -> b.Report:
    group = orders_group()
    empty = (None,) * 7
    uneven = ("counts", "moves")
    rows = (
        row("current", 600, 12.0),
        row("range", 80, -2.5, beyond_reasons=uneven),
        row("fair", 80, -2.5, beyond_reasons=uneven),
        row("sticky", 70, -3.5, beyond_reasons=("partial",)),
        ComparisonRow("mine", *empty, "failed", None, "no\x1b idea", "my-package 1.0"),
        ComparisonRow("other", *empty, "not run"),
        row("equilag", 90, 0.0, status="optimal", evidence="solver"),
    )
    return ComparisonReport(Comparison(rows, 90, assign(group, "range")))


def comparison_of_an_extended_group() -> b.Report:
    """Counts per capacity, units, racks, and rules that assignors break."""
    found = plan_of_an_extended_group()
    assert isinstance(found, PlanReport)
    return ComparisonReport(without_times(equilag.compare(found.plan.group, effort=0.05)))


def without_times(found: Comparison) -> Comparison:
    return replace(found, rows=tuple(replace(one, wall_ms=1.5) for one in found.rows))


def front_of(group: equilag.Group, *points: Point, **run: Any) -> b.Report:
    return FrontierReport(front_facts(group, points, Policy(), run=run))


def frontier() -> b.Report:
    points = Point(0, 762, 762, 357.0), Point(2, 381, 100, 178.5), Point(3, 0, 0, 0.0)
    return front_of(orders_group(), *points, seed=0)


def frontier_that_is_proved() -> b.Report:
    proved = Point(0, 762, 762, 357.0, 357.0, "checked"), Point(3, 5, 5, 0.0, 0.0, "checked")
    return front_of(orders_group(), *proved)


def frontier_of_nothing() -> b.Report:
    return front_of(orders_group(members=[]))


def explanation() -> b.Report:
    lags = [90, 10, 1, 30, 5, 5, 200, 7]
    group = group_of([6, 2], [[0], [0], [0, 1]], owners=[0, 0, 1, 1, 2, 2, 2, 2], lags=lags)
    return ExplanationReport(equilag.explain(group, effort=0.1, time_limit=60))


def simulation() -> b.Report:
    return SimulationReport(simulate(slow_group(), even_assignment(), duration=600))


def size() -> b.Report:
    rates = {"orders": [10.0] * 5, "payments": [1.0] * 4}
    fields = orders_snapshot(rates=rates)
    fields["members"] = [{**one, "capacity": 25} for one in fields["members"]]
    group = equilag.load_snapshot(fields)
    return SizeReport(equilag.size(group, effort=0.1, catch_up=120))


def fleet() -> b.Report:
    """Groups that keep up and that do not, one that nobody owns, an empty one, and a worse plan."""
    free = replace(ROW, group="new", max_now=None, spread_now=None, excess_now=None,
                   action="assign", evidence="solver")  # fmt: skip
    empty = replace(ROW, group="empty", load_mean=0.0, max_now=0, spread_now=0, spread_planned=0,
                    excess_now=0.0, excess_planned=0.0, action="leave")  # fmt: skip
    worse = replace(ROW, group="worse", excess_now=1.0, status="feasible", evidence=None)
    actions = {
        "keeps_up": "leave", "moves": "move", "members": "add-members", "uneven": "loosen",
        "hot": "repartition",
    }  # fmt: skip
    kept = (
        replace(
            ROW, group=f"g{n}", action=action, gap_percent_of_mean=0.004,
            throughput=replace(
                KEPT, group=f"g{n}", verdict=verdict, short_now=1_000.0 * n, members_short=2,
                hot=("t-1", "t-2", "t-3") if verdict == "hot" else (),
            ),
        )
        for n, (verdict, action) in enumerate(actions.items())
    )  # fmt: skip
    planned = {**SUMMARY["planned"], "unowned": 7, "unowned_groups": 2, "unowned_lag": 12_345}
    found = fleet_report(ROW, *kept, free, empty, worse, planned=planned)
    return FleetReport(replace(found, gaps=fleet_gaps()), 3)


def fleet_without_faults() -> b.Report:
    """Optima rest on a solver, every group was planned, and no sample has a fault."""
    one, planned = replace(ROW, evidence="solver"), {**SUMMARY["planned"], "optimal_by_solver": 2}
    late = {"faults": {"late": {"count": 0, "groups": 0}}}
    return FleetReport(fleet_report(one, planned=planned, failures=(), quality=late), 20)


def fleet_page() -> b.Report:
    return FleetReport(replace(fleet_report(*many_groups(5)), gaps=fleet_gaps()), 20)


def groups() -> b.Report:
    one = LiveGroupFacts("orders", "Stable", "classic", 3, 48, 12_345, 678, "c-1", 62.5, 1, ["x"])
    none = replace(one, group="", members=0, lag_spread=None, worst_share_percent=None)
    nothing = dict.fromkeys(("members", "partitions", "lag", "worst_member"))
    share = replace(none, group="s\x1b", kind="share", unknown_lags=0, **nothing)
    settings = {"bootstrap_server": "b:1", "groups": None, "auto_offset_reset": "latest",
                "isolation_level": "read_committed"}  # fmt: skip
    left_out, command = {"c": "no right"}, "equilag plan …"
    return GroupsReport((one, none, share), left_out, settings, command, "2026-11-21T09:00:00Z")


def readiness() -> b.Report:
    step = NextStep("Set this", "group.consumer.assignors=…")
    brokers = [BrokerReadiness(n, "uniform", 5000, at, bool(at), None if at else step)
               for n, at in enumerate((None, 0, 2))]  # fmt: skip
    lead = NextStep("Lead it", "equilag steward …")
    led = GroupReadiness("orders", "classic", "range", 3, "possible", "A member", "KIP-848", lead)
    share = GroupReadiness("s\x1b", "share", None, None, "never", "A share group")
    waits = replace(led, group="late", leads="not yet", next=step)
    return ReadinessReport(
        brokers,
        [waits, led, replace(led, group="more"), share],
        {"c": "no"},
        {"configuration": "no profile", "equilag[kafka]": "installed"},
    )


def configuration() -> b.Report:
    rows = [
        SettingInForce("--max-moves", "3", "profile", "prod.max_moves"),
        SettingInForce("--capacity", "a=1\nb=2", "environment", "EQUILAG_CAPACITY"),
        SettingInForce("--effort", None, "default", None),
    ]
    return ConfigReport("/c.toml", "prod", ["default", "prod"], "plan", rows)


def verification() -> b.Report:
    found = VerificationReport(unproved=["spread_at_least 7 (cp-sat)"], proved=["counts 3 (a)"])
    return CheckReport(orders_group(), "p.json", found, None)


def group_report() -> b.Report:
    made = report_of(slow_snapshot(), effort=0.05)
    comparison = without_times(made.answers.comparison)
    return GroupReport(replace(made.answers, comparison=comparison), made.basis)


def steward() -> b.Report:
    state = made_steward(members=3, dry_run=True)
    facts = replace(state.facts, last_observation_age_s=1.5, last_heartbeat_age_s=0.5)
    return StewardReport(replace(facts, version="1"), state.history)


MADE: Final[dict[str, Callable[[], b.Report]]] = {
    one.__name__: one
    for one in (
        plan, verdict, plan_of_a_doubtful_group, plan_of_an_extended_group, comparison,
        comparison_of_an_extended_group, frontier, frontier_that_is_proved, frontier_of_nothing,
        explanation, simulation, size, fleet, fleet_without_faults, fleet_page, groups,
        readiness, configuration, verification, group_report, steward,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_the_blocks_of_a_report(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1_800_000_000.0)
    report = MADE[name]()
    agrees(FOLDER / f"{name}.txt", golden(report))
    if report.kind != "fleet":  # whose settings are not all there
        assert findings(report.document()) == []


def test_every_kind_of_block_is_in_one_of_them() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == MADE.keys()
    text = "".join(path.read_text("utf-8") for path in FOLDER.iterdir())
    kinds = {one.__name__ for one in get_args(b.Block)}
    assert {name for name in kinds if f'"block": "{name}"' not in text} == set()
