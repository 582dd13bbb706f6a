"""Tables of figures and names within the screen: short figures before fewer columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.bar import Bar
from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table

from equilag.report.terminal import Screen
from equilag.report.text.tables.layout import GAP, Column, table
from equilag.report.text.tables.short_names import labels
from equilag.report.wording.words import Write as Write
from equilag.report.wording.words import in_ascii, number, short_number

Figures = Callable[[Write], list[list[RenderableType]]]
"""The cells of each row, text or bars."""


class Fitted(NamedTuple):
    """The widest of the possible tables that leaves enough room, else the narrowest."""

    columns: list[Column]
    rows: list[list[RenderableType]]
    room: int
    """Columns of the screen that are left; below 0 if the table is too wide."""


class Room(NamedTuple):
    """Columns of the screen to be left by a table."""

    wanted: int
    """Else whole numbers are shortened."""
    least: int
    """Else columns that are optional are left out."""


def fitted(
    columns: Sequence[Column], figures: Figures, screen: Screen, indent: int, needed: Room
) -> Fitted:
    """The columns that leave the room that is needed, and their cells."""
    found = Fitted([], [], 0)
    for write, kept in _possible(columns):
        rows = [[_shown(row[i], screen) for i in kept] for row in figures(write)]
        chosen = [columns[i] for i in kept]
        headings = [column.heading for column in chosen]
        widths = (max(map(_width, column)) for column in zip(headings, *rows, strict=True))
        room = screen.width - indent - sum(width + GAP for width in widths)
        found = Fitted(chosen, rows, room)
        if room >= (needed.wanted if write is number else needed.least):
            break
    return found


def fitted_table(
    columns: Sequence[Column], figures: Figures, screen: Screen, indent: int = 0
) -> Table:
    """A table within the screen, as far as its columns allow."""
    found = fitted(columns, figures, screen, indent, Room(-GAP, -GAP))
    return table(found.columns, found.rows, screen)


def _possible(columns: Sequence[Column]) -> Iterator[tuple[Write, list[int]]]:
    """How to write figures and which columns to keep, from the widest table to the narrowest."""
    kept = list(range(len(columns)))
    yield number, kept
    yield short_number, kept
    for last in reversed([i for i in kept if columns[i].is_optional]):
        kept = [i for i in kept if i != last]
        yield number, kept
        yield short_number, kept


def _shown(cell: RenderableType, screen: Screen) -> RenderableType:
    """A cell in the characters that the screen has."""
    return in_ascii(cell) if screen.ascii and isinstance(cell, str) else cell


def _width(cell: RenderableType) -> int:
    if isinstance(cell, Bar):
        return cell.width or 0
    return max(map(cell_len, str(cell).split("\n")))


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
