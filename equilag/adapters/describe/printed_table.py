"""The tables in a pasted text, among commands, messages and remarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from equilag.adapters.describe.messages import Messages
from equilag.adapters.describe.partition_rows import PartitionRow, PrintedRow, read_partition
from equilag.adapters.describe.printed_text import TextLine, clean_lines
from equilag.adapters.describe.row_cells import (
    Cells,
    closest_cut,
    is_count,
    looks_like_a_row,
    may_matter,
    read_cells,
    topics_of,
)
from equilag.adapters.describe.row_pieces import (
    MAX_PIECES,
    MIN_SCREEN,
    broken_table,
    has_identity,
    header_at,
    is_rest,
    row_at,
)
from equilag.adapters.describe.table_header import GROUP, NUMBERS, TOPIC, TableHeader


@dataclass(slots=True)
class PrintedTable:
    """A header and its rows; `group` is what the lines above call the group, if anything."""

    header: TableHeader
    group: str | None
    rows: list[PrintedRow] = field(default_factory=list)
    """Of a table with offsets only the last one, which a copy may have cut off."""
    partitions: dict[str | None, list[PartitionRow]] = field(default_factory=dict)
    """Group -> the other rows of a table with offsets."""
    least_filled: int | None = None
    """The last filled column of the row among these that goes the least far."""
    unfit: list[TextLine] = field(default_factory=list)
    """Lines that look like rows and do not fit the header."""
    last: TextLine | None = None
    """The last line above the next header."""
    below: int = 0
    """Lines below the last row, down to there."""
    _others: dict[str, TextLine] = field(default_factory=dict)
    """What would be a topic if its line were a row -> the first such line that is none."""
    _topics: set[str] = field(default_factory=set)
    _rests: list[tuple[int, TextLine, TextLine]] = field(default_factory=list)
    """Rows above a line with a single word, which may be the rest of an id: number, lines."""
    _width: int = 0
    _longest: int = 0
    """Length of the longest row that reaches the last column, and the number of those."""

    def group_of(self, row: PrintedRow) -> str | None:
        return row.cells.get(GROUP, self.group)

    @property
    def last_group(self) -> str | None:
        """The group of the last row, as far as the table knows it."""
        return self.group_of(self.rows[-1]) if self.rows else self.group

    def owners(self) -> set[str]:
        """The members that own partitions in all rows of a table with offsets but the last."""
        rows = (row for rows in self.partitions.values() for row in rows)
        return {row.member for row in rows if row.member is not None}

    def filled(self, row: PrintedRow) -> int:
        """The place of the last column that the row has something in."""
        at = len(self.header.names) - 1
        while at >= 0 and not row.cells.get(self.header.names[at]):
            at -= 1
        return at

    def read(self, lines: Sequence[TextLine], messages: Messages) -> int:
        """Read what the first line begins, and return how many lines that takes."""
        header, line = self.header, lines[0]
        cells, taken, self.last = None, 1, line
        if not may_matter(line.text, header):
            self.below += 1
            messages.read(line)
            return 1
        if header.has_offsets or header.has_members:
            above = self.rows[-1].cells if self.rows else None
            cells, taken = row_at(lines, header, above, self._width)
        if cells is None:
            self.below += 1
            self._read_other(line, messages)
            return 1
        self.below = 0
        if header.has_offsets:
            if not self._rests:
                self.settle()
            self._topics.add(cells[TOPIC])
            if header.pieces > 1:
                self._topics.add(cells.get(GROUP, ""))
            if taken == 1 and cells[header.names[-1]]:
                self._measure(lines, cells)
        self.rows.append(PrintedRow(line.number, cells, lines[taken - 1].number))
        return taken

    def _measure(self, lines: Sequence[TextLine], cells: Cells) -> None:
        """Note the length of a row, the first line, and whether one word stands below it."""
        length = len(lines[0].text)
        if length > self._width:
            self._width, self._longest = length, 0
        self._longest += length == self._width
        if is_rest(lines, self.header) and not cells[self.header.names[0]].startswith(
            lines[1].text
        ):
            self._rests.append((len(self.rows), lines[0], lines[1]))

    def _read_other(self, line: TextLine, messages: Messages) -> None:
        """Take a line that is no row."""
        header = self.header
        if header.has_offsets:
            unfit = self._is_unfit(line)
            if not unfit:
                for word in topics_of(line.text, header):
                    self._others.setdefault(word, line)
        else:
            cut = has_identity(line.text) if header.has_members else False
            unfit = cut and closest_cut(line.text, header) is not None
        if unfit:
            self.unfit.append(line)
            return
        messages.read(line)
        if header.has_state:
            named = GROUP in header.names
            messages.read_state(line, line.text.split()[0] if named else None)

    def _is_unfit(self, line: TextLine) -> bool:
        """True for a line that looks like a row of a known topic."""
        header, words = self.header, line.text.split()
        begins = header.pieces > 1 and words[0] in self._topics
        if begins or looks_like_a_row(line.text, self._topics, header.before_numbers):
            return True
        cells = dict(zip(header.names, words, strict=False))
        numbers = [cells[name] for name in NUMBERS & cells.keys()]
        has_number = any(map(is_count, numbers))
        return len(words) == len(header.names) and has_number and cells[TOPIC] in self._topics

    def end(self) -> None:
        """Complete the rows after the last line of the table, all but the last one. Raises
        InputError."""
        # The first row of a topic is told from a sentence by the rows below it.
        self.unfit += {line for word, line in self._others.items() if word in self._topics}
        self.unfit.sort(key=lambda line: line.number)
        if self._rests:
            self._join_rests()
        if self.header.has_offsets and self.rows:
            last = self.rows.pop()
            self.settle()
            self.rows.append(last)

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
        self.below -= last == len(self.rows) - 1

    def settle(self) -> None:
        """Take the rows of a table with offsets for complete. Raises InputError for a number that
        cannot be."""
        for row in self.rows:
            self.partitions.setdefault(self.group_of(row), []).append(read_partition(row))
            filled = self.filled(row)
            if self.least_filled is None or filled < self.least_filled:
                self.least_filled = filled
        self.rows.clear()


@dataclass(slots=True)
class TablesFound:
    """Everything in a text: its tables, and what is said around them."""

    tables: list[PrintedTable] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    last: TextLine | None = None
    unended: bool = False
    """True if no line break follows the last line."""


def find_tables(text: str, show: Callable[[int], object] = lambda _: None) -> TablesFound:
    """Return all tables with a header, and what stands around them; `show` is called with the
    number of characters read.

    Raises InputError for a table that a screen broke in more than one possible way, and for a
    number that cannot be.
    """
    found = TablesFound()
    lines = clean_lines(text, show)
    ahead = list(islice(lines, MAX_PIECES))
    while ahead:
        header = header_at(ahead) if ahead[0].may_be_header else None
        if header is not None:
            if found.tables:
                found.tables[-1].end()
            found.tables.append(PrintedTable(header, found.messages.current))
            taken = header.pieces
        elif found.tables:
            taken = found.tables[-1].read(ahead, found.messages)
        else:
            found.messages.read(ahead[0])
            taken = 1
        found.last = ahead[taken - 1]
        del ahead[:taken]
        ahead += islice(lines, taken)
    if found.tables:
        found.tables[-1].end()
    if found.last is not None:
        breaks = text.count("\n") if "\n" in text else text.count("\r")
        found.unended = breaks < found.last.number
    return found
