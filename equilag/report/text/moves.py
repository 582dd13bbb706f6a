"""The moves of a plan. A move costs a pause of its partition, so the heaviest come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.plan import PlanFacts
from equilag.report.terminal import Screen
from equilag.report.text.layout import Block, Column, indented, title
from equilag.report.text.named_table import named_table
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
    columns = [
        Column("partition"), Column("from", is_name=True), Column(""), Column("to", is_name=True),
        Column("lag"),
    ]  # fmt: skip
    shown = moves[:MAX_ROWS]
    made = named_table(
        "topic",
        [printable(move.topic) for move in shown],
        columns,
        lambda write: [
            [
                str(move.partition),
                names[move.source],
                screen.arrow,
                names[move.target],
                write(move.lag),
            ]
            for move in shown
        ],
        screen,
        indent=2,
    )
    block: list[RenderableType] = [title("Moves", rest), indented(made.table)]
    if len(moves) > MAX_ROWS:
        more = number(len(moves) - MAX_ROWS)
        block.append(indented(f"{screen.dots} and {more} more (--json lists all)"))
    return block


def _assigned(new: int) -> str:
    return f"{plural(new, 'partition')} {form(new, 'is', 'are')} assigned"
