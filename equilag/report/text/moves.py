"""The moves of a plan. A move costs a pause of its partition, so the heaviest come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import RenderableType

from equilag.domain.plan.move import Move
from equilag.report.facts.plans.partition_columns import (
    MoveGroupFacts,
    moves_by_pair,
    moves_by_source,
)
from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.terminal import Screen
from equilag.report.text.tables.fitted import Write, fitted_table, named_table
from equilag.report.text.tables.layout import Block, Column, indented, title
from equilag.report.wording.reason_words import reason_words
from equilag.report.wording.words import form, number, plural, printable

MAX_ROWS: Final = 20
"""Moves up to which each gets a row: with the members they fill one screen."""
LARGEST: Final = 10
"""Rows of single moves where there are more."""
MAX_GROUPS: Final = 15
"""Rows of moves between the same members: with the largest moves they fill one screen."""
MIN_MOVES: Final = 2
"""Moves per pair of members, on average, below which a row for every pair says little."""


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
    if len(moves) <= MAX_ROWS:
        return [title("Moves", rest), _table(moves, names, screen)]
    largest = f", the {LARGEST} with the largest lag and all by member"
    return [
        title("Moves", rest + largest),
        _table(moves[:LARGEST], names, screen),
        *_groups(moves, names, screen),
    ]


def _table(moves: Sequence[Move], names: Mapping[str, str], screen: Screen) -> RenderableType:
    """A row per move, with its reason where the screen is wide enough."""
    columns = [
        Column("partition"), Column("from", is_name=True), Column(""), Column("to", is_name=True),
        Column("lag"), Column("reason", is_name=True, is_optional=True),
    ]  # fmt: skip
    reasons = [reason_words(move, names.__getitem__) for move in moves]

    def rows(write: Write) -> list[list[RenderableType]]:
        return [
            [
                str(move.partition),
                names[move.source],
                screen.arrow,
                names[move.target],
                write(move.lag),
                reason,
            ]
            for move, reason in zip(moves, reasons, strict=True)
        ]

    topics = [printable(move.topic) for move in moves]
    return indented(named_table("topic", topics, columns, rows, screen, indent=2).table)


def _groups(moves: Sequence[Move], names: Mapping[str, str], screen: Screen) -> Block:
    """A row per pair of members, or per member that gives partitions up where pairs are many."""
    groups, kind = moves_by_pair(moves), "pair of members"
    if len(moves) < MIN_MOVES * len(groups):
        groups, kind = moves_by_source(moves), "member"
    kinds = "pairs of members" if kind != "member" else "members"
    columns = [
        Column("from", is_name=True), Column(""), Column("to", is_name=True), Column("moves"),
        Column("lag"),
    ]  # fmt: skip

    def rows(write: Write) -> list[list[RenderableType]]:
        return [_cells(group, names, screen, write) for group in groups[:MAX_GROUPS]]

    block: list[RenderableType] = [
        "",
        indented(fitted_table(columns, rows, screen, indent=2)),
    ]
    more = len(groups) - MAX_GROUPS
    if more > 0:
        rest = sum(group.moves for group in groups[MAX_GROUPS:])
        between = f"{number(more)} more {form(more, kind, kinds)}"
        block.append(
            indented(f"{screen.dots} and {plural(rest, 'move')} of {between} (--json lists all)")
        )
    else:
        block.append(indented("--json lists every move"))
    return block


def _cells(
    group: MoveGroupFacts, names: Mapping[str, str], screen: Screen, write: Write
) -> list[RenderableType]:
    several = len(group.targets)
    to = names[group.targets[0]] if several == 1 else plural(several, "member")
    return [names[group.source], screen.arrow, to, number(group.moves), write(group.lag)]


def _assigned(new: int) -> str:
    return f"{plural(new, 'partition')} {form(new, 'is', 'are')} assigned"
