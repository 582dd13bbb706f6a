"""What a row says of a partition, and of the member that owns it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Final, NamedTuple

from equilag.adapters.describe import table_header as col
from equilag.adapters.describe.row_cells import ABSENT, NOTHING, Cells, integer_of
from equilag.domain.building.topic_index import MAX_PARTITIONS
from equilag.domain.errors import InputError
from equilag.domain.show import shorten, show

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


class PartitionRow(NamedTuple):
    """One row of a table with offsets; `topic` is empty for a member that owns nothing.

    Offsets are None where they are not known, or were never committed.
    """

    line: int
    topic: str
    number: int
    member: str | None
    known: PrintedMember
    committed: int | None = None
    end: int | None = None
    start: int | None = None
    hand_lag: int | None = None
    """The LAG that is printed, if it is another one than end - committed."""
    owner_unknown: bool = False

    @property
    def name(self) -> str:
        """The name of the partition for messages."""
        return f"{shorten(self.topic)}-{self.number}"

    @property
    def lag(self) -> int | None:
        return None if self.end is None or self.committed is None else self.end - self.committed


def read_partition(row: PrintedRow) -> PartitionRow:
    """Return what the row says. Raises InputError for a number that cannot be."""
    cells = row.cells
    topic, (member, known, unknown) = cells[col.TOPIC], _owner_of(cells)
    if topic == NOTHING and cells[col.PARTITION] == NOTHING:
        return PartitionRow(row.line, "", -1, member, known)
    number = _number(row, col.PARTITION)
    if number is None:
        raise row.error(f"{col.PARTITION} {show(cells[col.PARTITION])} is not an integer")
    if not 0 <= number < MAX_PARTITIONS:
        raise row.error(f"partition {number} is not within 0 and {MAX_PARTITIONS - 1}")
    return PartitionRow(row.line, intern(topic), number, member, known, *_offsets(row), unknown)


def member_of(cells: Cells) -> PrintedMember:
    """Return what the row says of its member beside the id."""
    return _owner_of(cells)[1]


def _owner_of(cells: Cells) -> tuple[str | None, PrintedMember, bool]:
    """The member's id, what the row says of it beside that, and whether the owner is unknown."""
    owner, member = cells.get(col.OWNER), cells.get(col.MEMBER)
    return _owner(
        owner, member, cells.get(col.INSTANCE), cells.get(col.CLIENT), cells.get(col.HOST)
    )


@lru_cache(maxsize=2**16)
def _owner(
    owner: str | None, member: str | None, *others: str | None
) -> tuple[str | None, PrintedMember, bool]:
    printed = (owner or "") if member is None else member
    instance_id, client_id, at = (None if cell in ("", NOTHING) else cell for cell in others)
    found = _OWNER.fullmatch(printed) if member is None else None
    if found is not None and at is None:
        client_id, at = client_id or found["client"], found["host"]
    known = PrintedMember(instance_id, client_id, at.removeprefix("/") or None if at else None)
    unknown = printed.lower() == UNKNOWN_OWNER
    return None if unknown or is_nobody(printed) else printed, known, unknown


def _offsets(row: PrintedRow) -> tuple[int | None, int | None, int | None, int | None]:
    """Return what is committed, the log end and start, and a LAG that differs; LAG stands in for
    an offset that is not printed."""
    committed, end, start = (_offset(row, name) for name in (col.COMMITTED, col.END, col.START))
    lag = _number(row, col.LAG)
    if col.COMMITTED not in row.cells and end is not None and lag is not None:
        committed = end - max(lag, 0)
    if end is None and committed is not None and lag is not None:
        end = committed + max(lag, 0)
    if committed is not None and not 0 <= committed < 2**63:
        raise row.error(f"{col.COMMITTED} {committed} is not within 0 and 2^63 - 1")
    if start is not None and end is not None and start > end:
        raise row.error(f"{col.START} {start} is beyond {col.END} {end}")
    agreed = committed is None or end is None or lag in (None, end - committed)
    clipped = lag == 0 and committed is not None and end is not None and committed > end
    return committed, end, start, None if agreed or clipped else lag


def _offset(row: PrintedRow, column: str) -> int | None:
    value = _number(row, column)
    if value is None or 0 <= value < 2**63:
        return value
    if value == -1 and column == col.COMMITTED:  # Kafka keeps -1 for a commit that was never made
        return None
    raise row.error(f"{column} {value} is not within 0 and 2^63 - 1")


def _number(row: PrintedRow, column: str) -> int | None:
    """Return the number in the column; None if there is none. Raises InputError for a word."""
    cell = row.cells.get(column)
    if cell is None:
        return None
    value = integer_of(cell)
    if value is None and cell.lower() not in ABSENT:
        raise row.error(f"{column} {show(cell)} is not an integer")
    return value
