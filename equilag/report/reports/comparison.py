"""The report on a comparison: a row per assignor, and what the figures rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from equilag.domain.figures import listed, number, plural, printable, time_span
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import DEFAULT_TOLERANCE
from equilag.planner.compare import CURRENT, OWN_ROW, Comparison, ComparisonRow
from equilag.planner.comparison_figures import BeyondReason
from equilag.planner.facts.group import GroupFacts, group_facts
from equilag.planner.facts.plan import policy_in_force
from equilag.planner.facts.work import unit_words
from equilag.report import report_blocks as b
from equilag.report.words.extended import breaks
from equilag.report.words.group import group_title
from equilag.report.words.proof import bound_name, bound_scope, status_words

BEYOND: Final[Mapping[BeyondReason, str]] = {
    "counts": "counts less even than the policy asks",
    "moves": "more moves than the policy allows",
    "racks": "more reads across racks than the policy allows",
    "partial": "partitions left out",
    "rules": "rules of the group broken",
}
"""Why the bound does not hold for a row."""
MAX_NAMES: Final = 20
"""Rows that a sentence names: more than there are assignors of Kafka."""


class ComparisonReport(b.Report):
    kind = "comparison"

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.headline = comparison_headline(comparison)
        self.interrupted = comparison.plan.interrupted

    def document(self) -> dict[str, Any]:
        return {**self.comparison.to_dict(), "headline": self.headline}

    def parts(self) -> Iterator[b.Block]:
        group = group_facts(self.comparison.plan.current)
        yield b.Headline(self.headline)
        yield group_title(group)
        yield _table(self.comparison, group)
        yield b.Notes(tuple(_notes(self.comparison, group)))


def comparison_headline(comparison: Comparison) -> str:
    """What the current assignment, equilag and the best assignor reach. An assignor that the bound
    does not hold for is not the best."""
    rows = {row.assignor: row for row in comparison.rows if row.gap_percent_of_mean is not None}
    others = [
        row for name, row in rows.items() if name not in (CURRENT, OWN_ROW) and not row.beyond_bound
    ]
    per_capacity = comparison.plan.planned.group.extended.load_divisor is not None

    def reached(row: ComparisonRow) -> str:
        return number((row.extended.load_spread if per_capacity else row.lag_spread) or 0)

    parts = [f"{reached(rows[CURRENT])} now"] if CURRENT in rows else []
    if (own := rows.get(OWN_ROW)) is not None:
        parts.append(f"{reached(own)} with equilag ({plural(own.moves or 0, 'move')})")
    if others:
        best = min(others, key=lambda row: row.gap_percent_of_mean or 0.0)
        name = f"{printable(best.assignor)}, {plural(best.moves or 0, 'move')}"
        parts.append(f"{reached(best)} with the best other assignor ({name})")
    if not parts or comparison.plan.planned.group.idle.all():
        return "Nothing to compare: no member reads a partition"
    return f"{'Load' if per_capacity else 'Lag'} spread: {', '.join(parts)}"


def _table(comparison: Comparison, group: GroupFacts) -> b.Table:
    """A row per assignor; a star marks those that the bound does not hold for."""
    planned = comparison.plan.planned.group.extended
    # Where capacities differ, even counts have a spread.
    by_capacity, per_capacity = planned.has_capacities, planned.load_divisor is not None
    what = "load" if per_capacity else "lag"
    unit = unit_words(group.load_unit, True) if per_capacity else ""
    columns = (
        b.Column("assignor", "name"), b.Column("status", "text"),
        b.Column("count spread", optional=True),
        b.Column("count per capacity", note="most partitions or units of a member per unit of it"),
        b.Column("instance per capacity", note="the same of an instance", optional=True),
        b.Column("instance spread", optional=True),
        b.Column("busiest member", "share", "its rate in percent of its capacity"),
        b.Column("cross rack"), b.Column("moves"),
        b.Column(f"{what} max", optional=True), b.Column(f"{what} spread", note=unit),
        b.Column("gap", "percent", "distance from the bound in percent of the mean load"),
        b.Column("time", "ms", optional=True),
    )  # fmt: skip

    def cells(row: ComparisonRow) -> tuple[b.Cell, ...]:
        more = row.extended
        mark = " *" * row.beyond_bound + " !" * more.breaks_rules
        # Where capacities differ, the smaller instances have to have fewer.
        spread = more.instance_count_spread if more.count_per_capacity is None else None
        return (
            row.assignor, f"{status_words(row.status, row.evidence)}{mark}",
            None if by_capacity else row.count_spread, more.count_per_capacity,
            more.instance_count_per_capacity, spread, more.busiest, more.cross_rack, row.moves,
            more.load_max if per_capacity else row.lag_max,
            more.load_spread if per_capacity else row.lag_spread, row.gap_percent_of_mean,
            None if row.assignor == CURRENT else row.wall_ms,
        )  # fmt: skip

    return b.Table(columns, tuple(map(cells, comparison.rows)), "Assignors side by side").known()


def _notes(comparison: Comparison, group: GroupFacts) -> Iterator[str]:
    plan, rows = comparison.plan, comparison.rows
    policy = policy_in_force(plan) or Policy()
    what = "lag" if plan.planned.group.extended.load_divisor is None else "load"
    by_solver = any(row.evidence == "solver" for row in rows)
    bound = f"{bound_name(by_solver)} {number(comparison.spread_lower_bound)}"
    yield f"{bound}: {bound_scope(policy)} has a smaller {what} spread"
    if not policy.tolerance and not policy.moves_first:
        usual = f"equilag plan has {DEFAULT_TOLERANCE:g} % by default"
        yield f"equilag: the most even plan, tolerance 0; {usual}"
    if any(row.assignor == CURRENT for row in rows) and not group.fully_owned:
        yield f"{CURRENT}: only of the partitions that are owned, not of all"
    yield from beyond_lines(rows)
    for row in rows:
        if (found := row.extended).breaks_rules:
            broken = breaks(found.torn_units or 0, found.misplaced or 0, found.overfull or 0)
            yield f"! {printable(row.assignor)}: {broken}"
        if row.failed is not None:
            origin = "" if row.package is None else f" (package {printable(row.package)})"
            yield f"{printable(row.assignor)} failed{origin}: {printable(row.failed)}"
    if plan.interrupted:
        yield f"interrupted after {time_span(plan.wall_s)}"


def beyond_lines(rows: Sequence[ComparisonRow]) -> list[str]:
    """A sentence for each set of reasons that occurs."""
    names: dict[tuple[BeyondReason, ...], list[str]] = {}
    for row in rows:
        if row.beyond_reasons:
            names.setdefault(row.beyond_reasons, []).append(row.assignor)
    return [
        f"* the bound does not hold for {listed(found, MAX_NAMES)}:"
        f" {', '.join(BEYOND[reason] for reason in reasons)}"
        for reasons, found in names.items()
    ]
