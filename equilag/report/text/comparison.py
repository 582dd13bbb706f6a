"""The page of `compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.console import RenderableType

from equilag.domain.policy.policy_settings import DEFAULT_TOLERANCE
from equilag.planner.compare import CURRENT
from equilag.planner.comparison_figures import ExtendedRow
from equilag.report.facts.comparison import AssignorFacts, ComparisonFacts
from equilag.report.terminal import Screen
from equilag.report.text.causes import breaks
from equilag.report.text.group import group_block
from equilag.report.text.proof import PROVED_BOUND, SOLVERS_BOUND, bound_scope
from equilag.report.text.tables.fitted import Write, named_table
from equilag.report.text.tables.layout import Block, Column, indented
from equilag.report.text.verdict import verdict_line
from equilag.report.text.work import load_words
from equilag.report.wording.beyond_words import beyond_lines
from equilag.report.wording.words import (
    NONE,
    duration,
    number,
    percent,
    printable,
    short_percent,
    status_words,
)


class ExtendedColumn(NamedTuple):
    """A column that is there where the group has what it is about."""

    heading: str
    of: Callable[[ExtendedRow], float | None]
    written: Callable[[float], str] | None = None
    """None: as the other figures of the table."""


def _instance_spread(row: ExtendedRow) -> int | None:
    """Where capacities are equal: else the smaller have to have fewer."""
    return row.instance_count_spread if row.count_per_capacity is None else None


def _percent_used(busiest: float) -> str:
    return percent(100 * busiest)


EXTENDED_COLUMNS: Final = (
    ExtendedColumn("count per\ncapacity", lambda row: row.count_per_capacity),
    ExtendedColumn("instance per\ncapacity", lambda row: row.instance_count_per_capacity),
    ExtendedColumn("instance\nspread", _instance_spread),
    ExtendedColumn("busiest\nmember", lambda row: row.busiest, _percent_used),
    ExtendedColumn("cross\nrack", lambda row: row.cross_rack),
)


def comparison_blocks(facts: ComparisonFacts, screen: Screen) -> Iterator[Block]:
    """A row per assignor, and what the figures rest on."""
    yield verdict_line(facts.headline, screen)
    yield group_block(facts.group, screen)
    what = "load" if facts.per_capacity else "lag"
    extended = [
        shown
        for shown in EXTENDED_COLUMNS
        if any(shown.of(row.extended) is not None for row in facts.rows)
    ]
    # Where capacities differ, even counts have a spread.
    counts = [] if facts.by_capacity else [Column("count\nspread", is_optional=True)]
    columns = [
        Column("status", is_name=True), *counts,
        *(Column(shown.heading) for shown in extended), Column("moves"),
        Column(f"{what}\nmax", is_optional=True), Column(f"{what}\nspread"), Column("gap"),
        Column("ms", is_optional=True),
    ]  # fmt: skip
    made = named_table(
        "assignor",
        [printable(row.name) for row in facts.rows],
        columns,
        lambda write: [_cells(row, extended, facts, write) for row in facts.rows],
        screen,
    )
    yield [made.table]
    yield _notes(facts, made.labels, what)


def _notes(facts: ComparisonFacts, labels: Sequence[str], what: str) -> Block:
    """What the figures rest on; `labels` are the names in the table."""
    scope = bound_scope(facts.policy)
    bound = SOLVERS_BOUND if facts.bound_by_solver else PROVED_BOUND
    notes: list[RenderableType] = [
        indented(
            f"{bound} {number(facts.bound)}: {scope} has a smaller"
            f" {what} spread; gap: distance from it in percent of the mean load"
        )
    ]
    if not facts.policy.tolerance and not facts.policy.moves_first:
        usual = f"equilag plan has {DEFAULT_TOLERANCE:g} % by default"
        notes.append(indented(f"equilag: the most even plan, tolerance 0; {usual}"))
    if facts.current_is_partial:
        notes.append(indented(f"{CURRENT}: only of the partitions that are owned, not of all"))
    reasons = [row.beyond_reasons for row in facts.rows]
    notes += [indented(f"* {line}") for line in beyond_lines(zip(labels, reasons, strict=True))]
    if facts.per_capacity:
        counted = f"; {_count_words(facts)}" if facts.by_capacity else ""
        notes.append(indented(f"load: {load_words(facts.group.load_unit)}{counted}"))
    if any(row.extended.busiest is not None for row in facts.rows):
        notes.append(indented("busiest member: its rate in percent of its capacity"))
    notes += [
        indented(f"! {name}: {_broken(row.extended)}")
        for name, row in zip(labels, facts.rows, strict=True)
        if row.extended.breaks_rules
    ]
    notes += [
        indented(f"{name} failed{_origin(row)}: {printable(row.failed)}")
        for name, row in zip(labels, facts.rows, strict=True)
        if row.failed is not None
    ]
    if facts.interrupted_after is not None:
        notes.append(indented(f"interrupted after {duration(facts.interrupted_after)}"))
    return notes


def _count_words(facts: ComparisonFacts) -> str:
    """What a count per capacity is."""
    what = "units of co-partitioned topics" if facts.in_units else "partitions"
    instances = any(row.extended.instance_count_per_capacity is not None for row in facts.rows)
    who = "member or instance" if instances else "member"
    return f"count per capacity: {what} of the {who} with most per unit of it"


def _origin(row: AssignorFacts) -> str:
    return "" if row.package is None else f" (package {printable(row.package)})"


def _cells(
    row: AssignorFacts, extended: Sequence[ExtendedColumn], facts: ComparisonFacts, write: Write
) -> list[RenderableType]:
    star, mark = "*" if row.beyond_bound else "", " !" if row.extended.breaks_rules else ""
    figures = row.extended
    return [
        status_words(row.status, row.evidence) + mark,
        *([] if facts.by_capacity else [_figure(row.count_spread, number)]),
        *(_figure(shown.of(figures), shown.written or write) for shown in extended),
        _figure(row.moves, number),
        _figure(figures.load_max if facts.per_capacity else row.lag_max, write),
        _figure(figures.load_spread if facts.per_capacity else row.lag_spread, write),
        NONE if row.gap_percent is None else short_percent(row.gap_percent) + star,
        NONE if row.wall_ms is None else f"{row.wall_ms:,.1f}",
    ]


def _broken(row: ExtendedRow) -> str:
    """The rules that an assignment breaks."""
    return breaks(row.torn_units or 0, row.misplaced or 0, row.overfull or 0)


def _figure(value: float | None, write: Write) -> str:
    return NONE if value is None else write(value)
