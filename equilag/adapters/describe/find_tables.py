"""The tables in a pasted text, among commands, messages and remarks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from equilag.adapters.describe.messages import Messages, telling
from equilag.adapters.describe.partition_rows import RowNames
from equilag.adapters.describe.printed_table import PrintedTable
from equilag.adapters.describe.printed_text import BLOCK, MAX_PIECES, PrintedLines, TextLine
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
    """Return all tables with a header, and what stands around them; `show` is called with about
    the number of characters read.

    Raises InputError for a table that a screen broke in more than one possible way, and for a
    number that cannot be.
    """
    source = PrintedLines(printed)
    reader, end = _Reader(source), len(source.lines)
    for place in (*source.headers, end):
        while reader.at < place:
            show(reader.at * len(printed) // end)
            reader.read(min(place, reader.at + BLOCK))
        if place < end:
            reader.open(place)
    found, last = reader.found, source.last_above(end)
    reader.end(last)
    found.last, found.unended = last, last is not None and last.number == end
    return found


class _Reader:
    """Reads the lines of a text in turn."""

    def __init__(self, source: PrintedLines) -> None:
        self.found = TablesFound()
        self.at = 0
        """Place of the first line that is not read."""
        self._source = source
        self._may_be_row: Callable[[str], object] = lambda _: False

    def end(self, last: TextLine | None) -> None:
        """Complete the last table, of which this is the last line."""
        if self.found.tables:
            self.found.tables[-1].end(last)

    def open(self, place: int) -> None:
        """Open the table of a header, unless it is part of a row above."""
        if place < self.at:
            return
        lines = self._source.some(place, MAX_PIECES)
        header, found = header_at(lines), self.found
        self.end(self._source.last_above(place))
        found.tables.append(PrintedTable(header, found.messages.current, found.names))
        self.at = lines[header.pieces - 1].number
        self._may_be_row = sign_of(header)

    def read(self, end: int) -> None:
        """Read the lines above this place that are not read."""
        start, found = self.at, self.found
        lines = self._source.lines[start:end]
        pattern = found.tables[-1].pattern if found.tables else None
        talking = set(telling(lines))
        for place, line in enumerate(lines):
            if not line or start + place < self.at:
                continue  # blank, or part of a row above
            whole = pattern.fullmatch(line) if pattern is not None else None
            if whole is not None:
                cells = dict(zip(found.tables[-1].header.names, whole.groups(), strict=True))
                found.tables[-1].add(cells, self._source, start + place, start + place + 1)
            elif (is_row := self._may_be_row(line)) or place in talking:
                self._read_line(start + place, is_row)
        self.at = max(self.at, end)

    def _read_line(self, place: int, is_row: object) -> None:
        found, self.at = self.found, place + 1
        if is_row:
            self.at = found.tables[-1].read(self._source, place, found.messages)
        else:
            found.messages.read(TextLine(place + 1, self._source.lines[place]))


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
