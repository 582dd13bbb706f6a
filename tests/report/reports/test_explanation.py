"""The report on an explanation: its screen, and the moves by whom they serve."""

from __future__ import annotations

import numpy as np
from support.groups import group_of
from support.paths import SAMPLES
from support.reports import sections, text_of

import equilag
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.explain import explanation_of
from equilag.planner.facts.moves import served_facts
from equilag.planner.solving.run_settings import budget_of
from equilag.report.report_blocks import Table
from equilag.report.reports.explanation import ExplanationReport


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
