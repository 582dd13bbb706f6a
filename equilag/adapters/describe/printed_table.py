"""The tables in a pasted text, among commands, messages and remarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from equilag.adapters.describe.messages import Messages
from equilag.adapters.describe.partition_rows import PartitionRow, PrintedRow, read_partition
from equilag.adapters.describe.printed_text import Lookahead, PrintedLines, TextLine
from equilag.adapters.describe.row_cells import (
    Cells,
    closest_cut,
    is_count,
    looks_like_a_row,
    read_cells,
    topics_of,
    usual_cells,
)
from equilag.adapters.describe.row_pieces import (
    MIN_SCREEN,
    broken_table,
    has_identity,
    header_at,
    is_rest,
    row_at,
)
from equilag.adapters.describe.row_signs import never, signs_of
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
    """Lines below the last row, down to there, blank ones included."""
    _others: dict[str, TextLine] = field(default_factory=dict)
    """What would be a topic if its line were a row -> the first such line that is none."""
    _topics: set[str] = field(default_factory=set)
    _rests: list[tuple[int, TextLine, TextLine]] = field(default_factory=list)
    """Rows above a line with a single word, which may be the rest of an id: number, lines."""
    _width: int = 0
    _longest: int = 0
    """Length of the longest row that reaches the last column, and the number of those."""

    _usual: Callable[[str], Cells | None] = field(init=False)
    _is_plain: bool = field(init=False)
    _has_offsets: bool = field(init=False)

    def __post_init__(self) -> None:
        header = self.header
        self._usual, self._has_offsets = usual_cells(header), header.has_offsets
        has_rows = self._has_offsets or header.has_members
        self._is_plain = has_rows and header.pieces == 1 and not header.prefix

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
        names = self.header.names
        at = len(names) - 1
        while at >= 0 and not row.cells.get(names[at]):
            at -= 1
        return at

    def read(self, lines: Lookahead, messages: Messages) -> int:
        """Read what a line begins. Returns the number of the last line that this takes."""
        header, line = self.header, lines.line
        cells, last = self._usual(line.text) if self._is_plain else None, line.number
        if cells is None and (self._has_offsets or header.has_members):
            above = self.rows[-1].cells if self.rows else None
            cells, last = row_at(lines, header, above, self._width)
        if cells is None:
            self._read_other(line, messages)
            return line.number
        if self._has_offsets:
            if not self._rests:
                self.settle()
            self._topics.add(cells[TOPIC])
            if header.pieces > 1:
                self._topics.add(cells.get(GROUP, ""))
            if last == line.number and cells[header.names[-1]]:
                self._measure(lines, cells)
        self.rows.append(PrintedRow(line.number, cells, last))
        return last

    def _measure(self, lines: Lookahead, cells: Cells) -> None:
        """Note the length of a row, and whether one word stands below it."""
        length = len(lines.line.text)
        if length > self._width:
            self._width, self._longest = length, 0
        self._longest += length == self._width
        rest = lines.next
        if is_rest(rest, self.header) and not cells[self.header.names[0]].startswith(rest):
            below = TextLine(lines.line.number + 1, rest)
            self._rests.append((len(self.rows), lines.line, below))

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
        if begins or looks_like_a_row(line.text, self._topics, header):
            return True
        cells = dict(zip(header.names, words, strict=False))
        numbers = [cells[name] for name in NUMBERS & cells.keys()]
        has_number = any(map(is_count, numbers))
        return len(words) == len(header.names) and has_number and cells[TOPIC] in self._topics

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
        if self.header.has_offsets and self.rows:
            row = self.rows.pop()
            self.settle()
            self.rows.append(row)

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

    def settle(self) -> None:
        """Take the rows of a table with offsets for complete. Raises InputError for a number that
        cannot be."""
        for row in self.rows:
            self.partitions.setdefault(self.group_of(row), []).append(read_partition(row))
            filled, least = self.filled(row), self.least_filled
            self.least_filled = filled if least is None else min(filled, least)
        self.rows.clear()


@dataclass(slots=True)
class TablesFound:
    """Everything in a text: its tables, and what is said around them."""

    tables: list[PrintedTable] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    last: TextLine | None = None
    unended: bool = False
    """True if no line break follows the last line."""

    def end(self, last: TextLine | None) -> None:
        """Complete the last table, of which this is the last line."""
        if self.tables:
            self.tables[-1].end(last)


def find_tables(printed: str, show: Callable[[int], object] = lambda _: None) -> TablesFound:
    """Return all tables with a header, and what stands around them; `show` is called with the
    number of characters read.

    Raises InputError for a table that a screen broke in more than one possible way, and for a
    number that cannot be.
    """
    found, source, ahead_from = TablesFound(), PrintedLines(printed), 0
    messages, talks = found.messages, Messages.may_tell
    signs: Callable[[str], object] = never
    for piece in source.pieces(show):
        for number, raw in enumerate(piece.lines[: piece.end], piece.first):
            text, is_header = source.bare(raw), number in source.headers
            is_row = signs(text)
            if not (is_header or is_row or talks(text)) or not text or number < ahead_from:
                continue
            line = TextLine(number, text)
            lines = Lookahead(source, piece, line)
            header = header_at(lines) if is_header else None
            if header is not None:
                found.end(source.last_above(piece, number - piece.first) or found.last)
                found.tables.append(PrintedTable(header, messages.current))
                ahead_from, signs = lines.first(header.pieces)[-1].number + 1, signs_of(header)
            elif is_row:
                ahead_from = found.tables[-1].read(lines, messages) + 1
            else:
                messages.read(line)
        found.last = source.last_above(piece, piece.end) or found.last
    found.end(found.last)
    if found.last is not None:
        found.unended = printed.count(source.ends) < found.last.number
    return found
