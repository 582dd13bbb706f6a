"""The page of a comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest
from equilag.report.facts.comparison import comparison_facts
from equilag.report.text.tables.pages import text_for
from support.orders_service import orders_group

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.compare import Comparison, ComparisonRow, compare
from equilag.planner.solve import solve
from equilag.report.terminal import Screen


def row(assignor: str, spread: int, gap: float) -> ComparisonRow:
    return ComparisonRow(assignor, 1, 2, 3000, spread, 2 * spread, gap, 1.5)


def text_of(group: Group, *rows: ComparisonRow, bound: int = 90, width: int = 100) -> str:
    comparison = Comparison(rows, bound, assign(group, "range"))
    return text_for(comparison_facts(group, comparison), Screen(width))


def test_a_negative_gap_is_explained() -> None:
    group = orders_group()
    assert "*" not in text_of(group, row("range", 90, 0.0), row("fair", 95, 1.25))
    uneven = replace(row("range", 80, -2.5), beyond_reasons=("counts", "moves"))
    partial = replace(uneven, assignor="sticky", beyond_reasons=("partial",))
    text = text_of(group, uneven, partial, replace(uneven, assignor="fair"))
    assert text.count("-2.50 %*") == 3
    why = "counts less even than the policy asks, more moves than the policy allows"
    joined = " ".join(text.split())
    assert f"* the bound does not hold for range, fair: {why} * the bound does not" in joined
    assert "* the bound does not hold for sticky: partitions left out" in joined
    assert "rules" not in joined


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
    text = text_for(comparison_facts(group, comparison), Screen(80))
    words = "  equilag: the most even plan, tolerance 0; equilag plan has 1 % by default\n"
    assert (words in text) == said


@pytest.mark.parametrize("joined", [[], [["t", "u"]]])
def test_counts_are_per_capacity_where_these_differ(joined: list[list[str]]) -> None:
    member = {"subscription": ["t", "u"], "instance": "p"}
    members = [{"id": "a", "capacity": 4, **member}, {"id": "b", "capacity": 2, **member}]
    group = load_snapshot({
        "format": "equilag/snapshot/1", "group": "g", "topics": {"t": 6, "u": 6},
        "members": members, "co_partitioned": joined,
    })  # fmt: skip
    ours = compare(group, effort=0.01, time_limit=60)
    text = text_for(comparison_facts(group, ours), Screen(120))
    heading = next(line for line in text.splitlines() if line.startswith("assignor"))
    assert heading.split()[:4] == ["assignor", "status", "capacity", "capacity"]
    figures = {line.split()[0]: line.split() for line in text.splitlines() if line.split()}
    # 8 of 12 partitions, or 4 of 6 units, with a capacity of 4; all with the 6 of the instance
    assert figures["equilag"][2:4] == (["1.000"] * 2 if joined else ["2.000"] * 2)
    assert figures["range"][2] == ("1.500" if joined else "3.000")
    what = "units of co-partitioned topics" if joined else "partitions"
    assert f"count per capacity: {what} of the member or instance with most" in " ".join(
        text.split()
    )
    alike = load_snapshot({
        "format": "equilag/snapshot/1", "group": "g", "topics": {"t": 6, "u": 6},
        "members": [{"id": m["id"], **member} for m in members],
    })  # fmt: skip
    text = text_for(comparison_facts(alike, compare(alike, effort=0.01)), Screen(120))
    assert "capacity" not in text
    assert text.count("spread ") >= 2
