"""The tables in a pasted text, among commands, messages and remarks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from equilag.adapters.describe.column_names import GROUP, TOPIC
from equilag.adapters.describe.messages import Messages
from equilag.adapters.describe.printed_text import TextLine, clean_lines
from equilag.adapters.describe.row_cells import (
    Cells,
    closest_cut,
    looks_like_a_row,
    missing_words,
    read_cells,
)
from equilag.adapters.describe.table_header import TableHeader, joined_header, read_header
from equilag.errors import InputError

MAX_PIECES: Final = 4
"""Lines of a screen that one row may take: ids seldom have more than 250 characters."""
_IDENTITY: Final = re.compile(r"(?:^|\s)(?:/\S+|\S*[0-9a-f]{4}-[0-9a-f]{4}\S*|-)(?:\s|$)")
"""A host, an id or a dash: the rest of a row has one, a sentence does not."""


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One row of a table: its line in the text and its cells by column."""

    line: int
    cells: Cells

    @property
    def place(self) -> str:
        return f"line {self.line}"

    def error(self, problem: str) -> InputError:
        return InputError(problem, self.place)


@dataclass(slots=True)
class PrintedTable:
    """A header and its rows; `group` is what the lines above call the group, if anything."""

    header: TableHeader
    group: str | None
    rows: list[PrintedRow] = field(default_factory=list)

    def group_of(self, row: PrintedRow) -> str | None:
        return row.cells.get(GROUP, self.group)


@dataclass(slots=True)
class TablesFound:
    """Everything in a text: its tables, what is said around them, lines that do not fit."""

    tables: list[PrintedTable]
    messages: Messages
    unfit: list[tuple[TextLine, TableHeader]]
    """Lines that look like rows and do not fit the header above them."""
    lines: list[TextLine]

    @property
    def last_line(self) -> int:
        return self.lines[-1].number if self.lines else 0


def find_tables(text: str) -> TablesFound:
    """Return all tables with a header, and what stands around them."""
    lines = clean_lines(text)
    found = TablesFound([], Messages(), [], lines)
    table: PrintedTable | None = None
    topics: set[str] = set()
    at = 0
    while at < len(lines):
        header, taken = _header_at(lines, at)
        if header is not None:
            table = PrintedTable(header, found.messages.current)
            found.tables.append(table)
            topics = set()
        elif table is None:
            found.messages.read(lines[at])
        else:
            cells, taken = _row_at(lines, at, table.header)
            if cells is not None:
                table.rows.append(PrintedRow(lines[at].number, cells))
                topics.add(cells.get(TOPIC, ""))
            else:
                _read_other(lines[at], table.header, topics, found)
        at += taken
    return found


def _read_other(line: TextLine, header: TableHeader, topics: set[str], found: TablesFound) -> None:
    """Take a line that is no row of the table above it."""
    if header.has_offsets:
        unfit = looks_like_a_row(line.text, topics)
    else:
        unfit = header.has_members and _looks_like_a_member(line.text, header)
    if unfit:
        found.unfit.append((line, header))
        return
    found.messages.read(line)
    if header.has_state:
        named = GROUP in header.names
        found.messages.read_state(line, line.text.split()[0] if named else None)


def _looks_like_a_member(line: str, header: TableHeader) -> bool:
    return _IDENTITY.search(line) is not None and closest_cut(line, header) is not None


def _header_at(lines: list[TextLine], at: int) -> tuple[TableHeader | None, int]:
    """Return the header that begins at this line, and how many lines it takes."""
    header = read_header(lines[at].text, lines[at].number)
    if header is None:
        return None, 1
    text, taken = lines[at].text, 1
    while taken < MAX_PIECES and at + taken < len(lines):
        following = lines[at + taken].text
        longer = joined_header(header, text, following)
        if longer is None:
            break
        text = text + following if longer.width else f"{text} {following.strip()}"
        header, taken = longer, taken + 1
    return header, taken


def _row_at(lines: list[TextLine], at: int, header: TableHeader) -> tuple[Cells | None, int]:
    """Return the cells of the row that begins at this line, and how many lines it takes.

    A row may be broken where the header is, or wherever the words of two lines make one row and
    those of the first line do not.
    """
    if not (header.has_offsets or header.has_members):
        return None, 1
    text = lines[at].text
    if header.width is not None and len(text) == header.width:
        joined, taken = text, 1
        while taken < MAX_PIECES and at + taken < len(lines):
            joined += lines[at + taken].text
            taken += 1
            if len(lines[at + taken - 1].text) != header.width:
                break
        cells = read_cells(joined, header)
        if cells is not None:
            return cells, taken
    missing = missing_words(text, header)
    if missing > 0:
        joined_row = _joined_row(lines, at, header)
        if joined_row is not None:
            return joined_row
    return read_cells(text, header), 1


def _joined_row(lines: list[TextLine], at: int, header: TableHeader) -> tuple[Cells, int] | None:
    """Return the row of this line and the next ones, if together they have a word per column."""
    text = lines[at].text
    for taken in range(2, MAX_PIECES + 1):
        if at + taken > len(lines):
            return None
        following = lines[at + taken - 1].text
        if read_header(following, 0) is not None or read_cells(following, header) is not None:
            return None
        if not _IDENTITY.search(following):
            return None
        for joined in (f"{text} {following.strip()}", text + following.strip()):
            if missing_words(joined, header) == 0:
                cells = read_cells(joined, header)
                return None if cells is None else (cells, taken)
        text = f"{text} {following.strip()}"
    return None
