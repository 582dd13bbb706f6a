"""The report on a comparison."""

from __future__ import annotations

import pytest
from support.orders_service import orders_group
from support.reports import words_of

from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.compare import Comparison, ComparisonRow, compare
from equilag.planner.solve import solve
from equilag.report.reports.comparison import ComparisonReport


def row(assignor: str, spread: int, gap: float) -> ComparisonRow:
    return ComparisonRow(assignor, 1, 2, 3000, spread, 2 * spread, gap, 1.5)


@pytest.mark.parametrize("owned", [{"orders": [0]}, {"orders": [0, 1, 2, 3, 4]}])
def test_a_partial_current_assignment_is_named_as_such(owned) -> None:
    members = [{"id": "a", "subscription": ["orders"], "owned": owned}]
    group = orders_group(topics={"orders": 5}, lags={}, members=members)
    comparison = Comparison((row("current", 0, 0),), 0, assign(group, "range"))
    text = words_of(ComparisonReport(comparison))
    assert ("current: only of the partitions that are owned" in text) == (len(owned["orders"]) < 5)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Policy(tolerance=0.0), True),
        (Policy(), False),
        (Policy("fair-yet-sticky", tolerance=0.0), False),
    ],
)
def test_the_most_even_plan_is_named_as_such(policy: Policy, said: bool) -> None:
    group = orders_group()
    comparison = Comparison((row("equilag", 90, 0.0),), 90, solve(group, policy))
    words = "equilag: the most even plan, tolerance 0; equilag plan has 1 % by default"
    assert (words in words_of(ComparisonReport(comparison))) == said


def test_where_nobody_reads_there_is_nothing_to_compare() -> None:
    empty = ComparisonReport(compare(orders_group(members=[]), effort=0.1))
    assert empty.headline == "Nothing to compare: no member reads a partition"
