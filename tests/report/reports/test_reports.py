"""Reports on plans, explanations and histories: cases that those in golden/ do not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from support.groups import group_of
from support.orders_service import orders_group
from support.paths import SAMPLES
from support.reports import sections, text_of, words_of

import equilag
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.explain import explanation_of
from equilag.planner.facts.moves import served_facts
from equilag.planner.solving.run_settings import budget_of
from equilag.report.report_blocks import Bars, Chart, Flows, Notes, Report, Table
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.history import course_of, history_section
from equilag.report.reports.plan import PlanReport


def report_of(**fields: Any) -> PlanReport:
    return PlanReport(replace(assign(orders_group(**fields), "range"), policy=Policy()))


def test_many_members_begin_with_the_heaviest() -> None:
    members = [{"id": f"m{i:03}", "subscription": ["orders"]} for i in range(60)]
    fields = {"topics": {"orders": 60}, "lags": {"orders": list(range(60))}, "members": members}
    report = report_of(**fields)
    (bars, *_) = sections(report)["Members"]
    assert isinstance(bars, Bars)
    assert [row[0] for row in bars.table.rows] == [f"m{i:03}" for i in range(59, -1, -1)]
    lines = text_of(report).splitlines()
    assert sum(line.startswith("  m0") for line in lines) == bars.table.few
    assert f"  … and {60 - bars.table.few} more rows (--json lists all)" in lines


def test_few_moves_are_listed_and_of_many_the_largest_and_who_gives_to_whom() -> None:
    few = sections(report_of())["Moves"]
    assert [type(block) for block in few] == [Table]
    members = [
        {"id": "a", "subscription": ["orders"], "owned": {"orders": list(range(30, 60))}},
        {"id": "b", "subscription": ["orders"], "owned": {"orders": list(range(30))}},
    ]
    many = report_of(topics={"orders": 60}, lags={}, members=members)
    table, flows = sections(many)["Moves"]
    assert isinstance(table, Table)
    assert (len(table.rows), table.few) == (60, 10)
    assert isinstance(flows, Flows)
    assert [tuple(flow) for flow in flows.rows] == [("a", "b", 30, 0), ("b", "a", 30, 0)]
    assert "(60 of 60 owned partitions, " in words_of(many)


def test_a_plan_that_is_not_worth_a_rebalance_is_called_so() -> None:
    few = {"orders": [9, 0, 0, 0, 9], "payments": [1, 2, 1, 0]}
    left = PlanReport(equilag.solve(orders_group(lags=few), effort=0.05))
    assert (left.verdict.action, left.verdict.cost.moves > 0) == ("leave", True)
    assert "Members (planned: the best plan, which is not worth a rebalance)" in words_of(left)
    assert "Moves of the best plan, which is not worth a rebalance (" in words_of(left)
    assert "Moves of this plan, which is not worth a rebalance (" in words_of(report_of(lags=few))
    worth_it = report_of(lags={"orders": [9_000] * 5})
    assert worth_it.verdict.plan_helps
    assert "not worth a rebalance" not in words_of(worth_it)


def test_names_are_cut_on_the_screen_and_whole_in_the_document() -> None:
    group = equilag.load_snapshot(SAMPLES / "stats.snapshot.json")
    report = ExplanationReport(equilag.explain(group, effort=0.2))
    who = "stats-0-7956…, stats-1-adb2… and stats-2-4116…"
    assert f"What bounds the plan\n  Only {who} read" in text_of(report)
    assert max(map(len, text_of(report, 80).splitlines())) <= 80
    document = report.document()
    assert document["why"][0].startswith("Only stats-0-7956cae2-")
    assert "interrupted" not in document


def test_moves_are_grouped_under_whom_they_serve() -> None:
    lags = [90, 10, 1, 30, 5, 5]
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=lags)
    plan = Plan(group, Policy(), "feasible", "by hand", np.array([1, 0, 0, 2, 1, 2], np.int32))
    relief, room = served_facts(plan)
    assert (relief.kind, relief.member, relief.reason.before, relief.reason.after) == (
        "relief", "m00", 100, 11,
    )  # fmt: skip
    assert [move.lag for move in relief.moves] == [90, 1]
    assert (room.kind, room.member) == ("makes-room", "m01")
    report = ExplanationReport(explanation_of(group, plan, budget_of(group, 0)))
    (table,) = sections(report)["Moves"]
    assert isinstance(table, Table)
    assert table.rows == (
        ("relieve m00", (100, 11), (2, 2), 2, "t00-0 (90)"),
        ("m01 makes room for what it takes", (31, 95), (2, 2), 2, "t00-3 (30)"),
    )


MEMBERS = [{"id": "a", "subscription": ["orders"], "owned": {"orders": [0, 1, 2, 3]}}]


def test_before_and_after() -> None:
    section = history_section([orders_group(), orders_group(members=MEMBERS, lags={})])
    notes, table = section.blocks
    assert isinstance(notes, Notes)
    assert notes.lines == (
        "The lag shrank: 2,286 → 0 records.", "Left: b, c.", "1 of 9 partitions changed hands.",
    )  # fmt: skip
    assert isinstance(table, Table)
    assert [row[:3] for row in table.rows] == [("1", 2286, 3), ("2", 0, 1)]
    assert section.rest == " between 2 snapshots"
    assert history_section([orders_group()]) is None


def test_a_curve_of_snapshots_of_known_times() -> None:
    groups = [
        orders_group(taken_at=f"2026-11-20T0{hour}:00:00Z", lags={"orders": [hour] * 5})
        for hour in range(4)
    ]
    section = history_section(groups, course_of(groups))
    chart = next(one for one in section.blocks if isinstance(one, Chart))
    assert [(point.x, point.y) for point in chart.series[0].points] == [
        (0, 0), (3600, 5), (7200, 10), (10_800, 15),
    ]  # fmt: skip
    assert section.rest == " between 4 snapshots, in 3 h"

    class Given(Report):
        def parts(self) -> list[object]:  # type: ignore[override]
            return [section]

    text = words_of(Given())
    assert "The same 3 members. No partition changed hands." in text
    assert "The lag grew most of orders-0 (0 → 3), orders-1 (0 → 3)" in text
