"""A table in a pasted text: its header, its rows, and lines that look like rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from equilag.adapters.describe.messages import Messages
from equilag.adapters.describe.partition_rows import PrintedRow, RowNames, Rows, read_rows
from equilag.adapters.describe.printed_text import MAX_PIECES, PrintedLines, TextLine
from equilag.adapters.describe.row_cells import (
    Cells,
    closest_cut,
    like_a_row,
    read_cells,
    row_pattern,
)
from equilag.adapters.describe.row_pieces import (
    MIN_SCREEN,
    broken_table,
    has_identity,
    is_rest,
    row_at,
)
from equilag.adapters.describe.table_header import GROUP, TOPIC, TableHeader
from equilag.domain.columns import distinct

_MAX_OTHERS: Final = 2**16
"""Words that are kept as possible topics: some 20 MB."""
_MANY: Final = 2**12
"""Rows that wait for being read at once."""


@dataclass(slots=True)
class PrintedTable:
    """A header and its rows; `group` is what the lines above call the group, if anything."""

    header: TableHeader
    group: str | None
    names: RowNames
    rows: list[PrintedRow] = field(default_factory=list)
    """Of a table with offsets only the last ones, as a copy may have cut off the last one."""
    parts: list[Rows] = field(default_factory=list)
    """The other rows of a table with offsets."""
    least_filled: int | None = None
    """The last filled column of the row among these that goes the least far."""
    unfit: list[TextLine] = field(default_factory=list)
    """Lines that look like rows and do not fit the header."""
    last: TextLine | None = None
    """The last line above the next header."""
    below: int = 0
    """Lines below the last row, down to there, blank ones included."""
    _others: dict[str, TextLine] = field(default_factory=dict)
    """What would be a topic if its line were a row -> the first such line that is none."""
    _topics: set[str] = field(default_factory=set)
    _rests: list[tuple[int, TextLine, TextLine]] = field(default_factory=list)
    """Rows above a line with a single word, which may be the rest of an id: number, lines."""
    _width: int = 0
    _longest: int = 0
    """Length of the longest row that reaches the last column, and the number of those."""

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """What matches rows that are whole; None where each line is looked at."""
        header = self.header
        is_plain = header.has_offsets and header.pieces == 1
        return row_pattern(header.names, header.delimiter) if is_plain else None

    def group_of(self, row: PrintedRow) -> str | None:
        return row.cells.get(GROUP, self.group)

    @property
    def last_group(self) -> str | None:
        """The group of the last row, as far as the table knows it."""
        return self.group_of(self.rows[-1]) if self.rows else self.group

    def by_group(self) -> Iterator[tuple[str | None, Rows]]:
        """The complete rows of a table with offsets for each group, in order."""
        if not self.parts:
            return
        rows = np.concatenate(self.parts)
        rows = rows[np.argsort(rows["group"], kind="stable")]
        self.parts = [rows]
        for part in np.split(rows, np.flatnonzero(np.diff(rows["group"])) + 1):
            has_name = GROUP in self.header.names
            yield self.names.groups.names[part["group"][0]] if has_name else self.group, part

    def owners(self) -> set[str]:
        """The members that own partitions in all rows of a table with offsets but the last."""
        cells = {number for part in self.parts for number in distinct(part["owner"]).tolist()}
        members = {self.names.owners[number].member for number in cells}
        return {member for member in members if member is not None}

    def filled(self, row: PrintedRow) -> int:
        """The place of the last column that the row has something in."""
        names = self.header.names
        at = len(names) - 1
        while at >= 0 and not row.cells.get(names[at]):
            at -= 1
        return at

    def read(self, source: PrintedLines, place: int, messages: Messages) -> int:
        """Read what the line at a place begins. Returns the number of the last line that this
        takes. Raises InputError."""
        header, last, cells = self.header, place + 1, None
        if header.has_offsets or header.has_members:
            above = self.rows[-1].cells if self.rows else None
            cells, last = row_at(source.some(place, MAX_PIECES), header, above, self._width)
        if cells is None:
            self._read_other(TextLine(place + 1, source.lines[place]), messages)
        else:
            self.add(cells, source, place, last)
        return last

    def add(self, cells: Cells, source: PrintedLines, place: int, last: int) -> None:
        """Take the row at a place, and note its length and whether one word stands below it.
        Raises InputError."""
        header, line = self.header, TextLine(place + 1, source.lines[place])
        self.rows.append(PrintedRow(line.number, cells, last))
        if not header.has_offsets:
            return
        self._topics.add(cells[TOPIC])
        if header.pieces > 1:
            self._topics.add(cells.get(GROUP, ""))
        if last == line.number and cells[header.names[-1]]:
            length, below = len(line.text), "".join(source.lines[place + 1 : place + 2])
            if length > self._width:
                self._width, self._longest = length, 0
            self._longest += length == self._width
            if is_rest(below, header) and not cells[header.names[0]].startswith(below):
                rest = TextLine(last + 1, below)
                self._rests.append((len(self.rows) - 1, line, rest))
        if len(self.rows) > _MANY and not self._rests:
            self.settle(1)

    def _read_other(self, line: TextLine, messages: Messages) -> None:
        """Take a line that is no row."""
        header, unfit = self.header, False
        if header.has_offsets:
            unfit, named = like_a_row(line.text, self._topics, header)
            if not unfit and len(self._others) < _MAX_OTHERS:
                for word in named:
                    self._others.setdefault(word, line)
        elif header.has_members:
            unfit = has_identity(line.text) and closest_cut(line.text, header) is not None
        if unfit:
            self.unfit.append(line)
            return
        messages.read(line)
        if header.has_state:
            messages.read_state(line, line.text.split()[0] if GROUP in header.names else None)

    def end(self, last: TextLine | None) -> None:
        """Complete the rows after the last line of the table, all but the last one. Raises
        InputError."""
        # The first row of a topic is told from a sentence by the rows below it.
        self.unfit += {line for word, line in self._others.items() if word in self._topics}
        self.unfit.sort(key=lambda line: line.number)
        if self._rests:
            self._join_rests()
        self.last = last
        if self.rows and last is not None:
            self.below = last.number - self.rows[-1].last
        self.settle(1)

    def _join_rests(self) -> None:
        """Put the pieces of the last column together, if all rows are broken at one place."""
        lengths = [len(row.text) for _, row, _ in self._rests]
        if self._width < MIN_SCREEN or max(lengths) < self._width:
            return
        whole = self._longest > lengths.count(self._width)
        last, _, word = self._rests[-1]
        plain = len(lengths) == 1 and word.text.isalpha() and last == len(self.rows) - 1
        if plain and whole:
            return  # a word of a sentence below the table
        for place, row, rest in self._rests:
            above = self.rows[place - 1].cells if place else None
            cells = read_cells(row.text + rest.text, self.header, above)
            if plain or whole or min(lengths) < self._width or cells is None:
                raise broken_table(self._rests[0][1].number, self._width)
            self.rows[place] = PrintedRow(row.number, cells, rest.number)

    def settle(self, keep: int = 0) -> None:
        """Take the rows of a table with offsets for complete, all but the last ones. Raises
        InputError for a number that cannot be."""
        names, done = self.header.names, self.rows[: len(self.rows) - keep]
        if self.header.has_offsets and done:
            filled = min(map(self.filled, done))
            least = self.least_filled
            self.least_filled = filled if least is None else min(least, filled)
            columns = {name: [row.cells[name] for row in done] for name in names}
            self.parts.append(read_rows([row.line for row in done], columns, self.names))
            del self.rows[: len(done)]
