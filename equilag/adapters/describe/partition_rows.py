"""What a row says of a partition, and of the member that owns it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.row_cells import ABSENT, NOTHING, Cells, integer_of
from equilag.domain.building.topic_index import MAX_PARTITIONS
from equilag.domain.columns import Flags, Ints
from equilag.domain.errors import InputError
from equilag.domain.show import show

NOBODY: Final = frozenset({"", NOTHING, "none", "unassigned", "<none>", "n/a", "null", "nil"})
"""What tools print for the owner of a partition that nobody owns, in lower case."""
UNKNOWN_OWNER: Final = "unknown"
_OWNER: Final = re.compile(r"(?P<client>.+)_/(?P<host>[^/\s]+)")
"""OWNER of Kafka 0.9 and 0.10: the client id and the host."""


def is_nobody(owner: str) -> bool:
    """True for what stands in place of an owner; dashes of several columns are one too."""
    return owner.lower() in NOBODY or not owner.strip(" -\u2013\u2014")


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One row of a table: its line in the text, and its cells by column."""

    line: int
    cells: Cells
    last: int = 0
    """The line that it ends in, if a narrow screen broke it."""

    @property
    def place(self) -> str:
        return f"line {self.line}"

    def error(self, problem: str) -> InputError:
        return InputError(problem, self.place)


class PrintedMember(NamedTuple):
    """What a row says of a member; None where the text does not have it."""

    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None
    """Without the slash that Kafka prints before it."""

    def completed(self, other: PrintedMember) -> PrintedMember:
        """Return what both rows say together."""
        return PrintedMember(*(a or b for a, b in zip(self, other, strict=True)))


class PrintedOwner(NamedTuple):
    """What a row says of who owns its partition; `unknown` if nobody can tell."""

    member: str | None
    known: PrintedMember
    unknown: bool


_OWNER_COLUMNS: Final = (col.OWNER, col.MEMBER, col.INSTANCE, col.CLIENT, col.HOST)
OwnerCells: TypeAlias = tuple[str | None, ...]
"""The cells of `_OWNER_COLUMNS`, None for a column that the table has not."""


def owner_of(cells: Cells) -> PrintedOwner:
    """Return what the row says of an owner, or of the member that it is about."""
    return _owner(tuple(map(cells.get, _OWNER_COLUMNS)))


def _owner(cells: OwnerCells) -> PrintedOwner:
    owner, member, *others = cells
    printed = (owner or "") if member is None else member
    instance_id, client_id, at = (None if cell in ("", NOTHING) else cell for cell in others)
    found = _OWNER.fullmatch(printed) if member is None else None
    if found is not None and at is None:
        client_id, at = client_id or found["client"], found["host"]
    known = PrintedMember(instance_id, client_id, at.removeprefix("/") or None if at else None)
    unknown = printed.lower() == UNKNOWN_OWNER
    return PrintedOwner(None if unknown or is_nobody(printed) else printed, known, unknown)


Name = TypeVar("Name")


class Numbered(dict[Name, int]):
    """Values with their numbers, in the order in which they are asked for first."""

    def __init__(self) -> None:
        self.names: list[Name] = []

    def __missing__(self, key: Name) -> int:
        self[key] = number = len(self.names)
        self.names.append(key)
        return number


class RowNames:
    """The names in the rows of a text, which these have by number."""

    def __init__(self) -> None:
        self.groups: Numbered[str] = Numbered()
        self.topics: Numbered[str] = Numbered()
        self.cells: Numbered[OwnerCells] = Numbered()
        self._owners: list[PrintedOwner] = []

    @property
    def owners(self) -> list[PrintedOwner]:
        """The owner of each number."""
        self._owners += map(_owner, self.cells.names[len(self._owners) :])
        return self._owners

    def add_owner(self, member: str, known: PrintedMember) -> int:
        """The number of an owner that no row of a table with offsets has."""
        return self.cells[None, member, *known]


Rows: TypeAlias = npt.NDArray[np.void]
"""[R] rows of tables with offsets, with the fields of ROW."""
ROW: Final = np.dtype(
    [
        *((name, np.int32) for name in ("group", "topic", "number", "owner", "line")),
        *((name, np.int64) for name in ("committed", "end", "start", "lag")),
    ]
)
"""Group, topic and owner by number; NONE for a table without groups, and for the topic of a member
that owns nothing. Offsets are NONE where they are not known, or were never committed. `lag` is LAG
where it is another one than end - committed, else AGREES."""
NONE: Final = -1
AGREES: Final = -(2**63)
_WRONG: Final = AGREES + 1
"""In place of what is no number, or none of 63 bits."""


def read_rows(lines: Sequence[int], columns: Mapping[str, Sequence[str]], names: RowNames) -> Rows:
    """Return the rows in these lines. Raises InputError for the first number that cannot be."""
    count, wrong = len(lines), list[tuple[int, int, str]]()

    def refuse(where: Flags, problem: Callable[[int], str]) -> None:
        if where.any():
            wrong.append((at := int(where.argmax()), len(wrong), problem(at)))

    def offsets(name: str) -> Ints:
        found = _numbers(name, columns, count)
        if name == col.COMMITTED:  # Kafka keeps -1 for a commit that was never made
            found[found == NONE] = AGREES
        found[idle] = AGREES
        least = _WRONG + 1 if name == col.LAG else 0
        refuse((found < least) & (found != AGREES), lambda at: _problem(name, columns[name][at]))
        return found

    number = _numbers(col.PARTITION, columns, count)
    idle = np.array([cell == NOTHING for cell in columns[col.TOPIC]]) & (number == AGREES)
    outside = ((number < 0) | (number >= MAX_PARTITIONS)) & ~idle
    refuse(outside, lambda at: _problem(col.PARTITION, columns[col.PARTITION][at]))
    committed, end, start, lag = map(offsets, (col.COMMITTED, col.END, col.START, col.LAG))
    has_lag, behind = lag != AGREES, np.maximum(lag, 0)
    if col.COMMITTED not in columns:
        committed = np.where((end >= 0) & has_lag, end - behind, AGREES)
        unread = (committed < 0) & (committed != AGREES)
        refuse(unread, lambda at: _problem(col.COMMITTED, str(committed[at])))
    end = np.where((end == AGREES) & (committed >= 0) & has_lag, committed + behind, end)
    refuse((end < 0) & (end != AGREES), lambda at: f"{col.END} is beyond 2^63 - 1")
    beyond = f"{col.START} {{}} is beyond {col.END} {{}}"
    refuse((start > end) & (end >= 0), lambda at: beyond.format(start[at], end[at]))
    if wrong:
        at, _, problem = min(wrong)
        raise InputError(problem, f"line {lines[at]}")
    agrees = (lag == end - committed) | ((lag == 0) & (committed > end))
    rows = np.empty(count, ROW)
    rows["lag"] = np.where(agrees | (committed < 0) | (end < 0), AGREES, lag)
    for name, offset in (("committed", committed), ("end", end), ("start", start)):
        rows[name] = np.maximum(offset, NONE)
    rows["line"], rows["number"] = lines, np.maximum(number, NONE)
    rows["topic"] = [*map(names.topics.__getitem__, columns[col.TOPIC])]
    rows["topic"][idle] = NONE
    groups = columns.get(col.GROUP)
    rows["group"] = NONE if groups is None else [*map(names.groups.__getitem__, groups)]
    nobody: Sequence[str | None] = [None] * count
    owners = zip(*(columns.get(name, nobody) for name in _OWNER_COLUMNS), strict=True)
    rows["owner"] = [*map(names.cells.__getitem__, owners)]
    return rows


def _numbers(name: str, columns: Mapping[str, Sequence[str]], count: int) -> Ints:
    cells = columns.get(name)
    if cells is None:
        return np.full(count, AGREES)
    try:
        found = [AGREES if cell == NOTHING else int(cell) for cell in cells]
        if "".join(cells).isascii():
            return np.array(found, np.int64)
    except (ValueError, OverflowError):  # words, separators of thousands, or too large
        pass
    return np.array([_integer(cell, name == col.LAG) for cell in cells], np.int64)


def _integer(cell: str, is_lag: bool) -> int:
    value = integer_of(cell)
    if value is None:
        return AGREES if cell.lower() in ABSENT else _WRONG
    if is_lag:  # which only remarks show
        return min(max(value, _WRONG + 1), 2**63 - 1)
    return value if _WRONG < value < 2**63 else _WRONG


def _problem(column: str, cell: str) -> str:
    value = integer_of(cell)
    if value is None:
        return f"{column} {show(cell)} is not an integer"
    if column == col.PARTITION:
        return f"partition {value} is not within 0 and {MAX_PARTITIONS - 1}"
    return f"{column} {value} is not within 0 and 2^63 - 1"
