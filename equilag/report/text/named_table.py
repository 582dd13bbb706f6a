"""Tables whose first column is a name of any length: figures are shortened before the names are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.bar import Bar
from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table

from equilag.report.terminal import Screen
from equilag.report.text.layout import GAP, Column, table
from equilag.report.text.short_names import labels
from equilag.report.words import number, short_number

ROOM: Final = 24
"""Columns that long names should have before figures are written in full."""
MIN_ROOM: Final = 8
"""Columns that names get at least: enough to tell a few apart."""

Write = Callable[[int], str]


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
    figures: Callable[[Write], list[list[RenderableType]]],
    screen: Screen,
    indent: int = 0,
) -> NamedTable:
    """A table of printable `names` and the figures beside them, within the screen.

    `figures` gets the way in which whole numbers are written, and returns the other cells of each
    row: text or bars.
    """
    longest = max(map(cell_len, names), default=0)
    cells: list[list[RenderableType]] = []
    room = 0
    for write, kept in _layouts(columns):
        cells = [[row[i] for i in kept] for row in figures(write)]
        headings = [columns[i].heading for i in kept]
        widths = (max(map(_width, column)) for column in zip(headings, *cells, strict=True))
        room = screen.width - indent - sum(width + GAP for width in widths)
        if room >= min(longest, ROOM):
            break
    short = labels(names, max(MIN_ROOM, room), screen.dots)
    written = [short[name] for name in names]
    rows = [[name, *row] for name, row in zip(written, cells, strict=True)]
    made = table([Column(heading, is_name=True), *(columns[i] for i in kept)], rows, screen)
    return NamedTable(made, written, written != list(names))


def _layouts(columns: Sequence[Column]) -> Iterator[tuple[Write, list[int]]]:
    """How to write figures and which columns to keep, from the widest table to the narrowest."""
    kept = list(range(len(columns)))
    yield number, kept
    yield short_number, kept
    for last in reversed([i for i in kept if columns[i].is_optional]):
        kept = [i for i in kept if i != last]
        yield short_number, kept


def _width(cell: RenderableType) -> int:
    if isinstance(cell, Bar):
        return cell.width or 0
    return max(map(cell_len, str(cell).split("\n")))
