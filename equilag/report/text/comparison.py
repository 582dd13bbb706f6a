"""The page of `compare`."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from equilag.planner.compare import CURRENT
from equilag.report.facts.comparison import AssignorFacts, ComparisonFacts
from equilag.report.terminal import Screen
from equilag.report.text.group import group_block
from equilag.report.text.layout import Block, Column, indented
from equilag.report.text.named_table import Write, named_table
from equilag.report.text.proof import bound_scope
from equilag.report.words import NONE, number, printable, short_percent


def comparison_blocks(facts: ComparisonFacts, screen: Screen) -> Iterator[Block]:
    """A row per assignor, and what the figures rest on."""
    yield group_block(facts.group, screen)
    columns = [
        Column("count spread"), Column("moves"), Column("lag max"), Column("lag spread"),
        Column("gap"), Column("ms"),
    ]  # fmt: skip
    made = named_table(
        "assignor",
        [printable(row.name) for row in facts.rows],
        columns,
        lambda write: [_cells(row, write) for row in facts.rows],
        screen,
    )
    yield [made.table]
    notes: list[RenderableType] = [
        indented(
            f"proved bound {number(facts.bound)}: no plan with {bound_scope(facts.policy)} has a"
            " smaller lag spread; gap: distance from it in percent of the mean load"
        )
    ]
    if facts.current_is_partial:
        notes.append(indented(f"{CURRENT}: only of the partitions that are owned, not of all"))
    if any(row.beyond_bound for row in facts.rows):
        notes.append(
            indented(
                "* the bound does not hold for it: its counts are less even than equilag's, it"
                " moves more than the policy allows, or it leaves partitions out"
            )
        )
    yield notes


def _cells(row: AssignorFacts, write: Write) -> list[RenderableType]:
    return [
        number(row.count_spread),
        number(row.moves),
        write(row.lag_max),
        write(row.lag_spread),
        short_percent(row.gap_percent) + ("*" if row.beyond_bound else ""),
        NONE if row.wall_ms is None else f"{row.wall_ms:,.1f}",
    ]
