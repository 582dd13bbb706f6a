"""The page of `frontier`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from equilag.report.facts.frontier import FrontierFacts
from equilag.report.terminal import Screen
from equilag.report.text.group import group_block
from equilag.report.text.layout import Block, Column, bars, table
from equilag.report.words import form, number, short_percent

BAR_WIDTH: Final = 20
"""Columns of the bars: what the figures leave of 80."""


def frontier_blocks(facts: FrontierFacts, screen: Screen) -> Iterator[Block]:
    """All trade-offs, fewest moves first."""
    yield group_block(facts.group, screen)
    if not facts.points:
        yield [Text("No trade-offs: there is nothing to assign.")]
        return
    columns = [
        Column("moves"), Column("lag spread"), Column("of the mean"), Column("at least"),
        Column("gain"), Column("", is_name=True),
    ]  # fmt: skip
    spreads = [point.spread for point in facts.points]
    rows = [
        [
            number(point.moves),
            number(point.spread),
            short_percent(point.percent_of_mean),
            "proved" if point.is_proved else number(point.bound),
            short_percent(point.gain_percent),
            bar,
        ]
        for point, bar in zip(
            facts.points, bars(spreads, spreads[0], BAR_WIDTH, screen), strict=True
        )
    ]
    yield [table(columns, rows, screen)]
    yield [Text(_remarks(facts))]


def _remarks(facts: FrontierFacts) -> str:
    if len(facts.points) == 1:
        text = "One point: no plan with more moves and a smaller lag spread was found."
    else:
        text = (
            "equilag plan with the same options and --max-moves N makes the plan of a row; N is in"
            " the first column."
        )
    if facts.interrupted:
        text = f"Interrupted: these are the points so far. {text}"
    if facts.unproved:
        rows = f"{number(facts.unproved)} {form(facts.unproved, 'row is', 'rows are')}"
        text += (
            f" {rows} not proved: the smallest lag spread lies between 'at least' and 'lag spread';"
            " a longer --time-limit may find it."
        )
    return text
