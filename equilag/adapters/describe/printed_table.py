"""The tables in a pasted text, among commands, messages and remarks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from equilag.adapters.describe.broken_lines import has_identity, header_at, row_at
from equilag.adapters.describe.broken_tables import unbroken_lines
from equilag.adapters.describe.printed_text import TextLine, clean_lines
from equilag.adapters.describe.row_cells import (
    Cells,
    closest_cut,
    looks_like_a_row,
)
from equilag.adapters.describe.table_header import GROUP, NUMBERS, TOPIC, TableHeader
from equilag.domain.errors import InputError

_STATE: Final = re.compile(
    r"Consumer group '(?P<group>[^']*)' (?P<state>is rebalancing|has no active members)"
)
_SUMMARY: Final = re.compile(
    r"\s*(?:GROUP(?:[ -]ID)?\s{2,}|(?:[Cc]onsumer )?[Gg]roup(?:[ -]?(?:ID|id))?\s*:\s*)(\S+)\s*"
)
"""The line that some tools print above a group's table."""
_OPTION: Final = re.compile(r"--group(?:=|\s+)(?P<quote>['\"]?)([^\s'\"]+)(?P=quote)")
_COMMAND: Final = re.compile(
    r"\b(?:rpk\s+group\s+describe|kafkactl\s+describe\s+(?:consumer-group|cg)"
    r"|confluent\s+kafka\s+consumer\s+group\s+lag\s+list)\s+(?P<group>[\w.][^\s'\"]*)"
)
_PLACEHOLDER: Final = re.compile(r"[<$\[{(%].*|.*[>\]})]")
"""What documentation writes in place of a group's name."""
_FAILURE: Final = re.compile(
    r"\s*(?:Error\b(?::| while| executing).*"
    r"|(?:The c|C)onsumer group '.*' does not exist\.?"
    r"|(?:Exception in thread |Caused by: ).*|(?:[\w$]+\.){2,}\w*(?:Exception|Error)\b.*"
    r"|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s+(?:ERROR|FATAL)\b.*)"
)
_MOVING: Final = re.compile(r"\b(?:Preparing|Completing)Rebalance\b|\b(?:Assigning|Reconciling)\b")


@dataclass(slots=True)
class Messages:
    """What is known from lines that are no rows of tables."""

    named: list[str] = field(default_factory=list)
    """Groups that commands and messages name, in order; each once."""
    current: str | None = None
    """The group that the tables below are about, where they do not say it."""
    rebalancing: set[str] = field(default_factory=set)
    failure: TextLine | None = None
    """The first line that reports an error."""

    def read(self, line: TextLine) -> None:
        """Take what the line says of groups."""
        state = _STATE.search(line.text)
        if state is not None:
            self._name(state["group"])
            if state["state"] == "is rebalancing":
                self.rebalancing.add(state["group"])
            return
        if _FAILURE.fullmatch(line.text):
            self.failure = self.failure or line
            return
        for pattern in (_OPTION, _COMMAND):
            found = pattern.search(line.text)
            if found is not None:
                self._name(found[found.lastindex or 0].rstrip(".,;:)`\\"))
                return
        summary = _SUMMARY.fullmatch(line.text)
        if summary is not None:
            self._name(summary[1])

    def read_state(self, line: TextLine, group: str | None) -> None:
        """Take the row of a table of --state."""
        name = group or self.current
        if name is not None and _MOVING.search(line.text):
            self.rebalancing.add(name)

    def _name(self, group: str) -> None:
        if not group or _PLACEHOLDER.fullmatch(group):
            return
        self.current = group
        if group not in self.named:
            self.named.append(group)


_MAX_SPACES: Final = 5
"""Words more than columns that may stand before the numbers of a row: names hold few spaces."""


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One row of a table: its line in the text and its cells by column."""

    line: int
    cells: Cells
    last: int = 0
    """The line that it ends in, if a narrow screen broke it."""

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
    ends: set[int]
    """Numbers of the lines at which the text, or what stands before a header, ends."""
    unended: bool
    """True if no line break follows the last line."""


def find_tables(text: str) -> TablesFound:
    """Return all tables with a header, and what stands around them.

    Raises InputError for a table that a screen broke in more than one possible way.
    """
    printed = clean_lines(text)
    lines = unbroken_lines(printed)
    found = TablesFound([], Messages(), [], lines, {line.number for line in lines[-1:]}, False)
    breaks = len(re.findall(r"\n|\r(?!\n)", text))
    found.unended = bool(printed) and breaks < printed[-1].number
    table: PrintedTable | None = None
    topics: set[str] = set()
    at = 0
    while at < len(lines):
        header, taken = header_at(lines, at), 1
        if header is not None:
            taken = header.pieces
            if at:
                found.ends.add(lines[at - 1].number)
            table = PrintedTable(header, found.messages.current)
            found.tables.append(table)
            topics = set()
        elif table is None:
            found.messages.read(lines[at])
        else:
            above = table.rows[-1].cells if table.rows else None
            cells, taken = row_at(lines, at, table.header, above)
            if cells is not None:
                last = lines[min(at + taken, len(lines)) - 1].number
                table.rows.append(PrintedRow(lines[at].number, cells, last))
                topics.add(cells.get(TOPIC, ""))
                if table.header.pieces > 1:
                    topics.add(cells.get(GROUP, ""))
            else:
                _read_other(lines[at], table.header, topics, found)
        at += taken
    return found


def _read_other(line: TextLine, header: TableHeader, topics: set[str], found: TablesFound) -> None:
    """Take a line that is no row of the table above it."""
    if header.has_offsets:
        begins = header.pieces > 1 and line.text.split()[0] in topics
        before = next(at for at, name in enumerate(header.names) if name in NUMBERS)
        spaces = before + _MAX_SPACES
        unfit = begins or looks_like_a_row(line.text, topics, spaces)
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
    return has_identity(line) and closest_cut(line, header) is not None
