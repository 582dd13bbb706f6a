"""The tables in a pasted text, among commands, messages and remarks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from equilag.adapters.describe.messages import Messages, telling
from equilag.adapters.describe.partition_rows import RowNames
from equilag.adapters.describe.printed_table import PrintedTable
from equilag.adapters.describe.printed_text import MAX_PIECES, PrintedLines, TextLine, TextPiece
from equilag.adapters.describe.row_pieces import header_at
from equilag.adapters.describe.table_header import DELIMITERS, GROUP, PARTITION, TableHeader

_BESIDE: Final = re.compile(
    r"[\d-]\s++(?:[-+]?\d[^\s:]*+|-|unknown|none|n/?a|null|nil|<none>)(?!\S)", re.IGNORECASE
)
"""Two numbers side by side, or one and a word for none."""


@dataclass(slots=True)
class TablesFound:
    """Everything in a text: its tables, and what is said around them."""

    tables: list[PrintedTable] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    names: RowNames = field(default_factory=RowNames)
    last: TextLine | None = None
    unended: bool = False
    """True if no line break follows the last line."""

    def only_name(self) -> str | None:
        """Return the name that a message below the tables or a list of members gives them, if it is
        the only one, and no table with offsets has another source of its name."""
        offsets = [table for table in self.tables if table.header.has_offsets]
        if any(table.group is not None or GROUP in table.header.names for table in offsets):
            return None
        cells = {row.cells.get(GROUP) for table in self.tables for row in table.rows}
        names = {*cells, *self.messages.named} - {None}
        return names.pop() if len(names) == 1 else None


def find_tables(printed: str, show: Callable[[int], object] = lambda _: None) -> TablesFound:
    """Return all tables with a header, and what stands around them; `show` is called with the
    number of characters read.

    Raises InputError for a table that a screen broke in more than one possible way, and for a
    number that cannot be.
    """
    source, reader = PrintedLines(printed), _Reader()
    found, headers, at = reader.found, source.headers, 0
    for piece in source.pieces(show):
        while at < len(headers) and headers[at] < piece.first + piece.end:
            place = headers[at] - piece.first
            reader.read(piece, place)
            reader.open(piece, place)
            at += 1
        reader.read(piece, piece.end)
        found.last = piece.last_above(piece.end) or found.last
    reader.end(found.last)
    if found.last is not None:
        found.unended = printed.count(source.ends) < found.last.number
    return found


class _Reader:
    """Reads the lines of a text in turn."""

    def __init__(self) -> None:
        self.found = TablesFound()
        self._next = 1
        """Number of the first line that is not read."""
        self._may_be_row: Callable[[str], object] = lambda _: False

    def end(self, last: TextLine | None) -> None:
        """Complete the last table, of which this is the last line."""
        if self.found.tables:
            self.found.tables[-1].end(last)

    def open(self, piece: TextPiece, place: int) -> None:
        """Open the table of a header, unless it is part of a row above."""
        lines = piece.some(place, MAX_PIECES)
        if lines[0].number < self._next:
            return
        header = header_at(lines)
        if header is None:
            self._read_line(piece, place, self._may_be_row(lines[0].text))
            return
        found = self.found
        self.end(piece.last_above(place) or found.last)
        found.tables.append(PrintedTable(header, found.messages.current, found.names))
        self._next = lines[header.pieces - 1].number + 1
        self._may_be_row = sign_of(header)

    def read(self, piece: TextPiece, end: int) -> None:
        """Read the lines of a piece above this place that are not read."""
        first, lines, found = piece.first, piece.lines, self.found
        start = self._next - first
        pattern = found.tables[-1].pattern if found.tables else None
        talking = {start + place for place in telling(lines[start:end])}
        for place in range(start, end):
            line = lines[place]
            if not line or first + place < self._next:
                continue  # blank, or part of a row above
            whole = pattern.fullmatch(line) if pattern is not None else None
            if whole is not None:
                cells = dict(zip(found.tables[-1].header.names, whole.groups(), strict=True))
                found.tables[-1].add(cells, piece, place, first + place)
            elif (is_row := self._may_be_row(line)) or place in talking:
                self._read_line(piece, place, is_row)
        self._next = max(self._next, first + end)

    def _read_line(self, piece: TextPiece, place: int, is_row: object) -> None:
        found, last = self.found, piece.first + place
        if is_row:
            last = found.tables[-1].read(piece, place, found.messages)
        else:
            found.messages.read(piece.line(place))
        self._next = last + 1


def sign_of(header: TableHeader) -> Callable[[str], object]:
    """Return what is true for the lines below the header that are rows, or like one, and false for
    most others."""
    if header.has_state:
        return re.compile("Rebalance|Assigning|Reconciling").search
    if not header.has_offsets:
        return lambda _: header.has_members
    if header.pieces > 1:
        return lambda _: True
    few, columns = header.names.index(PARTITION) + 2, len(header.names) - 1
    least = [(one, 1 if one == header.delimiter else columns) for one in DELIMITERS]

    def may_be_row(line: str) -> object:
        return (
            _BESIDE.search(line)
            or len(line.split(None, few)) <= few
            or any(line.count(delimiter) >= count for delimiter, count in least)
        )

    return may_be_row
