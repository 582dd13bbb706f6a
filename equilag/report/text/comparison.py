"""The page of `compare`."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from equilag.planner.compare import CURRENT
from equilag.policy import DEFAULT_TOLERANCE
from equilag.report.facts.comparison import AssignorFacts, ComparisonFacts
from equilag.report.terminal import Screen
from equilag.report.text.fitted import Write
from equilag.report.text.group import group_block
from equilag.report.text.layout import Block, Column, indented
from equilag.report.text.named_table import named_table
from equilag.report.text.proof import PROVED_BOUND, SOLVERS_BOUND, bound_scope
from equilag.report.words import NONE, duration, number, printable, short_percent, status_words


def comparison_blocks(facts: ComparisonFacts, screen: Screen) -> Iterator[Block]:
    """A row per assignor, and what the figures rest on."""
    yield group_block(facts.group, screen)
    columns = [
        Column("status", is_name=True), Column("count\nspread", is_optional=True), Column("moves"),
        Column("lag\nmax", is_optional=True), Column("lag\nspread"), Column("gap"),
        Column("ms", is_optional=True),
    ]  # fmt: skip
    made = named_table(
        "assignor",
        [printable(row.name) for row in facts.rows],
        columns,
        lambda write: [_cells(row, write) for row in facts.rows],
        screen,
    )
    yield [made.table]
    scope = bound_scope(facts.policy)
    notes: list[RenderableType] = [
        indented(
            f"{_kind_of_bound(facts)} {number(facts.bound)}: no plan with {scope} has a smaller lag"
            " spread; gap: distance from it in percent of the mean load"
        )
    ]
    if not facts.policy.tolerance and not facts.policy.moves_first:
        usual = f"{DEFAULT_TOLERANCE:g} %"
        notes.append(
            indented(
                f"equilag: the most even plan, tolerance 0; equilag plan has {usual} by default"
            )
        )
    if facts.current_is_partial:
        notes.append(indented(f"{CURRENT}: only of the partitions that are owned, not of all"))
    if any(row.beyond_bound for row in facts.rows):
        notes.append(
            indented(
                "* the bound does not hold for it: its counts are less even than equilag's, it"
                " moves more than the policy allows, or it leaves partitions out"
            )
        )
    notes += [
        indented(f"{name} failed{_origin(row)}: {printable(row.failed)}")
        for name, row in zip(made.labels, facts.rows, strict=True)
        if row.failed is not None
    ]
    if facts.interrupted_after is not None:
        notes.append(indented(f"interrupted after {duration(facts.interrupted_after)}"))
    yield notes


def _kind_of_bound(facts: ComparisonFacts) -> str:
    by_solver = any(row.evidence == "solver" for row in facts.rows)
    return SOLVERS_BOUND if by_solver else PROVED_BOUND


def _origin(row: AssignorFacts) -> str:
    return "" if row.package is None else f" (package {printable(row.package)})"


def _cells(row: AssignorFacts, write: Write) -> list[RenderableType]:
    star = "*" if row.beyond_bound else ""
    return [
        status_words(row.status, row.evidence),
        _figure(row.count_spread, number),
        _figure(row.moves, number),
        _figure(row.lag_max, write),
        _figure(row.lag_spread, write),
        NONE if row.gap_percent is None else short_percent(row.gap_percent) + star,
        NONE if row.wall_ms is None else f"{row.wall_ms:,.1f}",
    ]


def _figure(value: int | None, write: Write) -> str:
    return NONE if value is None else write(value)
