"""Tables whose first column is a name of any length: figures are shortened before the names are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.table import Table

from equilag.report.terminal import Screen
from equilag.report.text.tables.fitted import Figures, Room, fitted
from equilag.report.text.tables.layout import Column, table
from equilag.report.text.tables.short_names import labels

ROOM: Final = 24
"""Columns that long names should have before figures are written in full."""
LEAST_ROOM: Final = 18
"""Columns that they should have before figures are left out: the longest assignor of Kafka's."""
PART: Final = 4
"""Names get one part in so many of the screen at least, before figures are left out: so names that
were cut to that for a whole page stay the same in each of its tables."""
MIN_ROOM: Final = 8
"""Columns that names get at least: enough to tell a few apart."""


class NamedTable(NamedTuple):
    table: Table
    labels: list[str]
    """The names as they are shown."""
    is_shortened: bool
    """True if a name is not shown whole."""


def named_table(
    heading: str,
    names: Sequence[str],
    columns: Sequence[Column],
    figures: Figures,
    screen: Screen,
    indent: int = 0,
) -> NamedTable:
    """A table of printable `names` and the figures beside them, within the screen.

    `figures` gets the way in which whole numbers are written, and returns the other cells of each
    row: text or bars.
    """
    longest = max(map(cell_len, names), default=0)
    part = screen.width // PART
    needed = Room(min(longest, max(ROOM, part)), min(longest, max(LEAST_ROOM, part)))
    found = fitted(columns, figures, screen, indent, needed)
    short = labels(names, max(MIN_ROOM, found.room), screen.dots)
    shown = [short[name] for name in names]
    rows = [[name, *row] for name, row in zip(shown, found.rows, strict=True)]
    made = table([Column(heading, is_name=True), *found.columns], rows, screen)
    return NamedTable(made, shown, shown != list(names))
