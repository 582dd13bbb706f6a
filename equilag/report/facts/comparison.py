"""A comparison: every assignor, the current assignment and equilag's plan side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from equilag.group import Group
from equilag.planner.compare import CURRENT, Comparison
from equilag.policy import Policy
from equilag.report.facts.group import GroupFacts, group_facts


@dataclass(frozen=True, slots=True)
class AssignorFacts:
    """The figures of one assignment."""

    name: str
    count_spread: int
    moves: int
    lag_max: int
    lag_spread: int
    gap_percent: float
    wall_ms: float | None
    """None for the current assignment, which nobody had to compute."""
    beyond_bound: bool
    """True if the bound does not hold for it: its counts are less even than equilag's, it moves
    more than the policy allows, or it leaves partitions out."""


@dataclass(frozen=True, slots=True)
class ComparisonFacts:
    kind: ClassVar[str] = "comparison"
    size: ClassVar[int] = 0

    comparison: Comparison
    group: GroupFacts
    rows: tuple[AssignorFacts, ...]
    policy: Policy
    """Of equilag's plan."""
    bound: int
    """No plan with the balance of counts and the moves of `policy` has a smaller lag spread."""
    current_is_partial: bool
    """True if the current assignment is among the rows and leaves partitions out."""

    def document(self) -> dict[str, Any]:
        return self.comparison.to_dict()


def comparison_facts(group: Group, comparison: Comparison) -> ComparisonFacts:
    even = comparison.rows[-1].count_spread
    figures = group_facts(group)
    rows = tuple(
        AssignorFacts(
            row.assignor,
            row.count_spread,
            row.moves,
            row.lag_max,
            row.lag_spread,
            row.gap_percent_of_mean,
            None if row.assignor == CURRENT else row.wall_ms,
            row.count_spread > even or row.gap_percent_of_mean < 0,
        )
        for row in comparison.rows
    )
    partial = any(row.name == CURRENT for row in rows) and not figures.fully_owned
    policy = comparison.plan.policy or Policy()
    bound = comparison.spread_lower_bound
    return ComparisonFacts(comparison, figures, rows, policy, bound, partial)
