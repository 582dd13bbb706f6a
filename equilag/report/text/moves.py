"""The moves of a plan. A move costs a pause of its partition, so the heaviest come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.plan import PlanFacts
from equilag.report.terminal import Screen
from equilag.report.text.layout import Block, Column, indented, table, title
from equilag.report.text.short_names import labels
from equilag.report.words import form, number, plural, printable

MAX_ROWS: Final = 20
"""Moves that are listed: with the members they fill one screen."""


def moves_block(facts: PlanFacts, names: Mapping[str, str], screen: Screen) -> Block:
    """The moves by lag, and how many partitions are assigned that nobody owned."""
    owned, moves, new = facts.group.owned, facts.moves.moves, facts.moves.new
    if not owned:
        if not new:
            return []
        return [title("No moves:", f" nobody owned a partition; {_assigned(new)}.")]
    extra = f"; {_assigned(new)} that nobody owned" if new else ""
    if not moves:
        return [title("No moves:", f" every partition stays where it is{extra}.")]
    rest = (
        f" ({number(len(moves))} of {plural(owned, 'owned partition')}, with a lag of"
        f" {number(facts.moves.lag)}{extra})"
    )
    topics = labels((printable(m.topic) for m in moves[:MAX_ROWS]), screen.width // 3, screen.dots)
    rows: list[list[RenderableType]] = [
        [
            topics[printable(move.topic)],
            str(move.partition),
            names[move.source],
            screen.arrow,
            names[move.target],
            number(move.lag),
        ]
        for move in moves[:MAX_ROWS]
    ]
    columns = [
        Column("topic", is_name=True), Column("partition"), Column("from", is_name=True),
        Column(""), Column("to", is_name=True), Column("lag"),
    ]  # fmt: skip
    block: list[RenderableType] = [title("Moves", rest), indented(table(columns, rows, screen))]
    if len(moves) > MAX_ROWS:
        more = number(len(moves) - MAX_ROWS)
        block.append(indented(f"{screen.dots} and {more} more (--json lists all)"))
    return block


def _assigned(new: int) -> str:
    return f"{plural(new, 'partition')} {form(new, 'is', 'are')} assigned"
