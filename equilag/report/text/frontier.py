"""The page of `frontier`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from equilag.report.facts.frontier import FrontierFacts, PointFacts
from equilag.report.terminal import Screen
from equilag.report.text.group import group_block
from equilag.report.text.tables.fitted import Write, fitted_table
from equilag.report.text.tables.layout import Block, Column, bars
from equilag.report.text.verdict import verdict_line
from equilag.report.text.work import load_words
from equilag.report.wording.words import form, number, short_percent

BAR_WIDTHS: Final = ((120, 24), (0, 8))
"""Columns of the screen from which on a bar has so many columns: what figures and marks leave."""
MARKS: Final = {"current": "current", "knee": "knee", "plan": "equilag plan"}
"""What is said of a point."""


def frontier_blocks(facts: FrontierFacts, screen: Screen) -> Iterator[Block]:
    """All trade-offs, fewest moves first."""
    yield verdict_line(facts.headline, screen)
    yield group_block(facts.group, screen)
    if not facts.points:
        return
    what = "load" if facts.per_capacity else "lag"
    columns = [
        Column("moves"), Column(f"{what}\nspread"), Column("of the\nmean", is_optional=True),
        Column("at\nleast"), Column("excess", is_optional=True), Column("gain"),
        Column("", is_name=True, is_optional=True), Column("", is_name=True),
    ]  # fmt: skip
    spreads = [point.spread for point in facts.points]
    cells = next(cells for width, cells in BAR_WIDTHS if screen.width >= width)
    lengths = bars(spreads, spreads[0], cells, screen)
    rows = list(zip(facts.points, lengths, strict=True))
    yield [fitted_table(columns, lambda write: [_cells(*row, write) for row in rows], screen)]
    yield [Text(_remarks(facts).strip())]


def _cells(point: PointFacts, bar: RenderableType, write: Write) -> list[RenderableType]:
    return [
        number(point.moves),
        write(point.spread),
        short_percent(point.percent_of_mean),
        _bound(point, write),
        write(point.excess if isinstance(point.spread, float) else round(point.excess)),
        short_percent(point.gain_percent),
        bar,
        ", ".join(MARKS[mark] for mark in point.marks),
    ]


def _bound(point: PointFacts, write: Write) -> str:
    if not point.is_proved:
        return write(point.bound)
    return "proved" if point.evidence == "checked" else "solver"


def _remarks(facts: FrontierFacts) -> str:
    what, above = ("load", "load") if facts.per_capacity else ("lag", "records")
    text = ""
    if len(facts.points) > 1:
        policy = facts.policy
        # Policies that put fewer moves first never trade moves for lag.
        other = "--policy lag-aware, " if policy.moves_first and not policy.pins_owned else ""
        text = (
            f"equilag plan with the same options, {other}--max-moves N and --tolerance 0 makes the"
            f" plan of a row; N is in the first column. Excess: {above} above a fair share, over"
            " all members. Gain: the part of it that is saved, in percent of the proved maximum."
        )
    if facts.per_capacity:
        text += f" Load: {load_words(facts.group.load_unit)}."
    if facts.interrupted:
        text = f"Interrupted: these are the points so far. {text}"
    if facts.unproved:
        rows = f"{number(facts.unproved)} {form(facts.unproved, 'row is', 'rows are')}"
        text += (
            f" {rows} not proved: the smallest {what} spread lies between 'at least' and '{what}"
            " spread'; a longer --time-limit may find it."
        )
    return text
