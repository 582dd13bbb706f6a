"""The report on a comparison."""

from __future__ import annotations

import pytest
from support.orders_service import orders_group
from support.reports import text_of as text_on
from support.reports import words_of

from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.compare import Comparison, ComparisonRow, compare
from equilag.planner.solve import solve
from equilag.report.reports.comparison import ComparisonReport


def row(assignor: str, spread: int, gap: float) -> ComparisonRow:
    return ComparisonRow(assignor, 1, 2, 3000, spread, 2 * spread, gap, 1.5)


def text_of(group: Group, *rows: ComparisonRow, bound: int = 90, width: int = 100) -> str:
    comparison = Comparison(rows, bound, assign(group, "range"))
    return text_on(ComparisonReport(comparison), width)


@pytest.mark.parametrize("owned", [{"orders": [0]}, {"orders": [0, 1, 2, 3, 4]}])
def test_a_partial_current_assignment_is_named_as_such(owned) -> None:
    members = [{"id": "a", "subscription": ["orders"], "owned": owned}]
    group = orders_group(topics={"orders": 5}, lags={}, members=members)
    text = text_of(group, row("current", 0, 0), bound=0)
    assert ("current: only of the partitions that are owned" in text) == (len(owned["orders"]) < 5)


@pytest.mark.parametrize("width", [50, 60, 70])
def test_a_narrow_screen_has_fewer_columns_with_whole_figures(width: int) -> None:
    rows = (row("range", 123_456_789, 12.5), row("constrained-sticky", 90, 1.0))
    lines = text_of(orders_group(), *rows, width=width).splitlines()
    first = next(line for line in lines if line.startswith("range"))
    for word in ("heuristic", "123M", "12.5 %"):
        assert word in first
    assert "1.5" not in first
    assert max(map(len, lines)) <= width


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


def test_the_headline_says_how_far_the_best_are_from_the_bound() -> None:
    group = orders_group()
    found = compare(group, effort=0.1)
    gaps = {row.assignor: row.gap_percent_of_mean for row in found.rows}
    report = ComparisonReport(found)
    assert report.headline.startswith(f"From the proved bound: equilag {gaps['equilag']:.0f} %, ")
    within = [
        row for row in found.rows
        if row.assignor not in ("equilag", "current") and not row.beyond_reasons
    ]  # fmt: skip
    best = min(within, key=lambda row: row.gap_percent_of_mean or 0)
    assert f"({best.assignor}) " in report.headline
    empty = ComparisonReport(compare(orders_group(members=[]), effort=0.1))
    assert empty.headline == "Nothing to compare: no member reads a partition"
