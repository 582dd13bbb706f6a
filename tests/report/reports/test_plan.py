"""The members and moves that the report on a plan shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.orders_service import orders_group
from support.reports import sections, text_of, words_of

import equilag
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.report.report_blocks import Bars, Flows, Table
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
