"""A comparison: every assignor, the current assignment and equilag's plan side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from equilag.domain.group.group import Group
from equilag.domain.plan.claim import Evidence
from equilag.domain.plan.metrics import has_capacities, load_divisor
from equilag.domain.policy.policy import Policy
from equilag.planner.compare import CURRENT, Comparison, RowStatus
from equilag.planner.comparison_figures import BeyondReason, ExtendedRow
from equilag.report.facts.facts_json import NOT_IN_JSON
from equilag.report.facts.group import GroupFacts, group_facts
from equilag.report.facts.plans.proof import policy_in_force
from equilag.report.wording.words import printable, short_percent

EQUILAG: Final = "equilag"
"""The row of equilag's own plan."""


@dataclass(frozen=True, slots=True)
class AssignorFacts:
    """The figures of one assignment; None where an assignor has none."""

    name: str
    count_spread: int | None
    moves: int | None
    lag_max: int | None
    lag_spread: int | None
    gap_percent: float | None
    wall_ms: float | None
    """None also for the current assignment, which nobody had to compute."""
    status: RowStatus
    evidence: Evidence | None
    failed: str | None
    """Why the assignor has no figures."""
    package: str | None
    """The installed package, with its version, that the assignor comes from."""
    extended: ExtendedRow
    """Figures of an extended group."""
    beyond_bound: bool
    """True if the bound does not hold for it."""
    beyond_reasons: tuple[BeyondReason, ...]
    """Why the bound does not hold: its `counts` are less even than the policy asks, it has more
    `moves` or reads across `racks` than the policy allows, it leaves partitions out (`partial`), or
    it breaks `rules` of the group."""


@dataclass(frozen=True, slots=True)
class ComparisonFacts:
    kind: ClassVar[str] = "comparison"
    size: ClassVar[int] = 0

    comparison: Comparison = field(metadata=NOT_IN_JSON)
    headline: str
    """How far the best are from the proved bound, in one line of words."""
    group: GroupFacts
    rows: tuple[AssignorFacts, ...]
    policy: Policy
    """Of equilag's plan."""
    bound: float
    """No plan with the balance of counts and the moves of `policy` has a smaller lag spread."""
    bound_by_solver: bool
    """True if how good equilag's plan is rests on a solver's word."""
    per_capacity: bool
    """True if spreads and gaps are of loads per unit of capacity, or of weights; else of lag."""
    by_capacity: bool
    """True if capacities differ, so that counts are compared per unit of capacity."""
    in_units: bool
    """True if counts per capacity are of units of co-partitioned topics."""
    current_is_partial: bool
    """True if the current assignment is among the rows and leaves partitions out."""
    interrupted_after: float | None
    """Seconds after which equilag's run was told to end; None if it was not."""

    def document(self) -> dict[str, Any]:
        return {**self.comparison.to_dict(), "headline": self.headline}


def comparison_facts(group: Group, comparison: Comparison) -> ComparisonFacts:
    reduction = comparison.plan.planned
    figures = group_facts(reduction.given, reduction)
    rows = tuple(
        AssignorFacts(
            row.assignor,
            row.count_spread,
            row.moves,
            row.lag_max,
            row.lag_spread,
            row.gap_percent_of_mean,
            None if row.assignor == CURRENT else row.wall_ms,
            row.status,
            row.evidence,
            row.failed,
            row.package,
            row.extended,
            row.beyond_bound,
            row.beyond_reasons,
        )
        for row in comparison.rows
    )
    partial = any(row.name == CURRENT for row in rows) and not figures.fully_owned
    plan, bound = comparison.plan, comparison.spread_lower_bound
    after = plan.wall_s if plan.interrupted else None
    policy = policy_in_force(plan) or Policy()
    by_solver = any(row.evidence == "solver" for row in rows)
    return ComparisonFacts(
        comparison,
        comparison_headline(rows, not reduction.group.idle.all(), by_solver),
        figures,
        rows,
        policy,
        bound,
        by_solver,
        per_capacity=load_divisor(reduction.group) is not None,
        by_capacity=has_capacities(reduction.group),
        in_units=reduction.unit_of is not None,
        current_is_partial=partial,
        interrupted_after=after,
    )


def comparison_headline(rows: Sequence[AssignorFacts], has_readers: bool, by_solver: bool) -> str:
    """How far equilag, the best assignor and the current assignment are from the bound.

    `by_solver`: it rests on a solver's word. An assignor that the bound does not hold for is not
    the best.
    """
    gaps = {row.name: row.gap_percent for row in rows if row.gap_percent is not None}
    others = {
        row.name: row.gap_percent
        for row in rows
        if row.name not in (CURRENT, EQUILAG)
        and row.gap_percent is not None
        and not row.beyond_bound
    }
    parts = []
    if EQUILAG in gaps:
        parts.append(f"equilag {short_percent(gaps[EQUILAG])}")
    if others:
        best = min(others, key=lambda name: others[name])
        parts.append(f"the best assignor ({printable(best)}) {short_percent(others[best])}")
    if CURRENT in gaps:
        parts.append(f"the current assignment {short_percent(gaps[CURRENT])}")
    if not parts or not has_readers:
        return "Nothing to compare: no member reads a partition"
    bound = "solver's" if by_solver else "proved"
    return f"From the {bound} bound: {', '.join(parts)} of the mean load"
