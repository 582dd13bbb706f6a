"""The moves of a plan: what they cost is the interruption, so the heaviest come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from equilag.cli.text import Style, columns, middle, number, plural, printable, table
from equilag.group import NOBODY
from equilag.plan import Plan

MOST: Final = 20
SHORTEST_TOPIC: Final = 16
OTHER_COLUMNS: Final = 30
"""What a row holds besides its names."""


def moves_block(plan: Plan, names: Mapping[str, str], style: Style) -> list[str]:
    """The moves by lag, and how many partitions are handed out that nobody owned."""
    group, moves = plan.group, plan.moves
    owned = int(np.count_nonzero(group.owner != NOBODY))
    free = int(np.count_nonzero((group.owner == NOBODY) & (plan.assigned != NOBODY)))
    if not owned:
        if not free:
            return []
        return style.titled("No moves:", f" nobody owned anything, {_handed_out(free)}.")
    extra = f"; besides, {_handed_out(free)}, which nobody owned" if free else ""
    if not moves:
        return style.titled("No moves:", f" every partition stays where it is{extra}.")
    lag = sum(move.lag for move in moves)
    title = (
        f" ({number(len(moves))} of {plural(owned, 'owned partition')}, with a lag of {number(lag)}"
    )
    lines = style.titled("Moves", f"{title}{extra})")
    first = sorted(moves, key=lambda move: (-move.lag, move.topic, move.partition))[:MOST]
    widest = max(columns(names[name]) for move in first for name in (move.source, move.target))
    room = max(SHORTEST_TOPIC, style.width - 2 * widest - OTHER_COLUMNS)
    rows = [
        [
            middle(printable(move.topic), room, style.dots),
            str(move.partition),
            names[move.source],
            style.arrow,
            names[move.target],
            number(move.lag),
        ]
        for move in first
    ]
    lines += [f"  {line}" for line in table(rows, "<><<<>")]
    if len(moves) > len(first):
        rest = number(len(moves) - len(first))
        lines.append(f"  {style.dots} and {rest} more (--json lists all)")
    return lines


def _handed_out(free: int) -> str:
    return f"{plural(free, 'partition')} {'is' if free == 1 else 'are'} handed out"
