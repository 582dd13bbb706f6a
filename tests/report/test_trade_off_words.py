"""The headlines of a comparison and of a frontier."""

from __future__ import annotations

from equilag.report.facts.comparison import comparison_facts
from equilag.report.facts.frontier import frontier_facts
from support.orders_service import orders_group

import equilag
from equilag.domain.policy.policy import Policy
from equilag.planner.compare import compare


def test_a_comparison_says_how_far_the_best_are_from_the_bound() -> None:
    group = orders_group()
    facts = comparison_facts(group, compare(group, effort=0.1))
    rows = {row.name: row.gap_percent for row in facts.rows}
    start = f"From the proved bound: equilag {rows['equilag']:.0f} %, the best"
    assert facts.headline.startswith(start)
    names = rows.keys() - {"equilag", "current"}
    best = min(
        (row for row in facts.rows if row.name in names and not row.beyond_bound),
        key=lambda row: row.gap_percent or 0,
    )
    assert f"({best.name}) " in facts.headline
    empty = orders_group(members=[])
    headline = comparison_facts(empty, compare(empty, effort=0.1)).headline
    assert headline == "Nothing to compare: no member reads a partition"


def test_a_front_says_what_the_knee_gets() -> None:
    group = orders_group()
    points = equilag.frontier(group, effort=0.2)
    facts = frontier_facts(group, points, Policy())
    assert facts.headline.startswith(f"Trade-offs: lag spread {points[0].spread:,} with ")
    one = frontier_facts(group, points[:1], Policy()).headline
    assert one.startswith("One point: no plan with more than ")
    assert frontier_facts(group, [], Policy()).headline == (
        "No trade-offs: there is nothing to assign"
    )
