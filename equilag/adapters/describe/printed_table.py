"""The tables that `kafka-consumer-groups` prints, among the messages it prints around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from equilag.errors import InputError
from equilag.show import shorten, show

OFFSETS: Final = ("TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "CONSUMER-ID")
MEMBERS: Final = ("CONSUMER-ID", "#PARTITIONS")
NOTHING: Final = "-"

# Where one of these is seen, a line is a header; the rest of its words are columns to skip.
_HEADERS: Final = (
    ("--describe --offsets", frozenset({"TOPIC", "PARTITION", "CURRENT-OFFSET"})),
    ("--describe --members", frozenset(MEMBERS)),
    ("--describe --state", frozenset({"COORDINATOR", "STATE"})),
)
# Ids may be anything a client chose; all other columns are one word.
_MAY_HOLD_SPACES: Final = frozenset(
    {"GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "CLIENT-ID", "ASSIGNMENT"}
)
_MAY_BE_BLANK: Final = frozenset({"GROUP-INSTANCE-ID", "CLIENT-ID"})

_STATE: Final = re.compile(
    r"(?:Warning: )?Consumer group '(?P<group>.*)' "
    r"(?P<state>is rebalancing|has no active members)\.?"
)
_FAILURE: Final = re.compile(
    r"Error\b(?::| while| executing).*"
    r"|(?:The c|C)onsumer group '.*' does not exist\.?"
    r"|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s+(?:ERROR|FATAL)\b.*"
)
_NOISE: Final = re.compile(
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s+(?:TRACE|DEBUG|INFO|WARN)\b.*"  # log lines
    r"|Note: .*|SLF4J: .*|Picked up .*|.* VM warning: .*"
    r"|.*kafka-consumer-groups\b.* --describe\b.*"  # the command itself, copied with its output
)


class PrintedText(NamedTuple):
    """What a tool printed, and the file's name for messages."""

    text: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One line of a table: its number in the text and its cells by column name."""

    line: int
    cells: dict[str, str]

    @property
    def place(self) -> str:
        return f"line {self.line}"

    def error(self, problem: str) -> InputError:
        return InputError(problem, self.place)


@dataclass(slots=True)
class PrintedTable:
    """The rows of all tables of a text, and what the messages say of groups."""

    rows: list[PrintedRow] = field(default_factory=list)
    rebalancing: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    """Groups that messages name; the only trace of the name in tables without GROUP."""


@dataclass(frozen=True, slots=True)
class _Columns:
    names: tuple[str, ...]
    starts: tuple[int, ...]
    line: int


def read_table(text: str, required: tuple[str, ...]) -> PrintedTable:
    """All rows of the tables in `text`, which must have the columns `required`.

    Known messages are skipped. Raises InputError, with the line, for an error that Kafka reports,
    for a table of another kind, and for a line that is neither a row nor a known message.
    """
    table = PrintedTable()
    columns: _Columns | None = None
    # Not splitlines(), which would also split at odd characters inside an id.
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        words = line.split()
        if not words:
            continue
        if any(marks.issubset(words) for _, marks in _HEADERS):
            columns = _columns(line, number, required)
            continue
        cells = _by_position(line, columns) if columns is not None else None
        if cells is None:
            if _is_message(line.strip(), table, number):
                continue
            if columns is None:
                raise InputError(f"{show(line.strip())} before any known header", f"line {number}")
            cells = _by_words(line, columns, number)
        table.rows.append(PrintedRow(number, cells))
    if columns is None and not table.named:
        raise InputError(f"no table with the columns {', '.join(required)} in it")
    return table


def _is_message(line: str, table: PrintedTable, number: int) -> bool:
    """Is this a message to skip; notes in `table` what it says of a group."""
    state = _STATE.fullmatch(line)
    if state is not None:
        table.named.add(state["group"])
        if state["state"] == "is rebalancing":
            table.rebalancing.add(state["group"])
        return True
    if _FAILURE.fullmatch(line):
        raise InputError(f"an error reported by Kafka: {shorten(line)}", f"line {number}")
    return _NOISE.fullmatch(line) is not None


def _columns(line: str, number: int, required: tuple[str, ...]) -> _Columns:
    # The state table's COORDINATOR (ID) is two words, but that table is refused below anyway.
    words = [(match.group(), match.start()) for match in re.finditer(r"\S+", line)]
    names = tuple(word for word, _ in words)
    missing = [name for name in required if name not in names]
    if missing:
        kind = next(kind for kind, marks in _HEADERS if marks <= set(names))
        problem = f"a table as of {kind}, without the column {missing[0]} that is needed here"
        raise InputError(problem, f"line {number}")
    if len(set(names)) < len(names):
        raise InputError("a column that is there twice", f"line {number}")
    return _Columns(names, tuple(start for _, start in words), number)


def _by_position(line: str, columns: _Columns) -> dict[str, str] | None:
    """Cells cut at the starts of the header's words; None if one of them lies across a cell."""
    cells: dict[str, str] = {}
    ends = (*columns.starts[1:], None)
    for name, start, end in zip(columns.names, columns.starts, ends, strict=True):
        cell = line[start:end]
        if (start and line[start - 1 : start].strip()) or (cell.strip() and cell[0].isspace()):
            return None
        cells[name] = cell.strip()
        if not (cells[name] or name in _MAY_BE_BLANK) or not _is_clean(cells[name], name):
            return None
    return cells


def _by_words(line: str, columns: _Columns, number: int) -> dict[str, str]:
    """Cells word by word, where a long value shifted them or a copy lost the padding.

    Raises InputError.
    """
    words = line.split(maxsplit=len(columns.names) - 1)
    if len(words) == len(columns.names) and _is_clean(words[-1], columns.names[-1]):
        return dict(zip(columns.names, words, strict=True))
    problem = f"does not fit the header in line {columns.line}: {show(line.strip())}"
    raise InputError(problem, f"line {number}")


def _is_clean(cell: str, name: str) -> bool:
    return name in _MAY_HOLD_SPACES or len(cell.split()) <= 1
