"""What a row says of a partition, and of the member that owns it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from equilag.adapters.describe.printed_table import PrintedRow
from equilag.adapters.describe.row_cells import ABSENT, NOTHING, Cells, integer_of
from equilag.adapters.describe.table_header import (
    CLIENT,
    COMMITTED,
    END,
    HOST,
    INSTANCE,
    LAG,
    MEMBER,
    OWNER,
    PARTITION,
    START,
    TOPIC,
)
from equilag.domain.building.topic_index import MAX_PARTITIONS
from equilag.domain.show import shorten, show

NOBODY: Final = frozenset({"", NOTHING, "none", "unassigned", "<none>", "n/a", "null", "nil"})
"""What tools print for the owner of a partition that nobody owns, in lower case."""
UNKNOWN_OWNER: Final = "unknown"
_OWNER: Final = re.compile(r"(?P<client>.+)_/(?P<host>[^/\s]+)")
"""OWNER of Kafka 0.9 and 0.10: the client id and the host."""


def is_nobody(owner: str) -> bool:
    """True for what stands in place of an owner; dashes of several columns are one too."""
    return owner.lower() in NOBODY or not owner.strip(" -\u2013\u2014")


class PrintedPartition(NamedTuple):
    """Offsets of a partition; None for what is not known, or was never committed."""

    line: int
    committed: int | None
    end: int | None
    start: int | None
    hand_lag: int | None = None
    """The LAG that is printed, if it is another one than end - committed."""


class PrintedMember(NamedTuple):
    """What a row says of a member; None where the text does not have it."""

    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None
    """Without the slash that Kafka prints before it."""


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """One row of a table with offsets; `topic` is empty for a member that owns nothing."""

    topic: str
    number: int
    partition: PrintedPartition
    member: str | None
    known: PrintedMember
    owner_unknown: bool = False


def read_partition(row: PrintedRow) -> PartitionRow:
    """Return what the row says. Raises InputError for a number that cannot be."""
    cells = row.cells
    topic = cells[TOPIC]
    owner = cells.get(MEMBER, cells.get(OWNER, ""))
    unknown = owner.lower() == UNKNOWN_OWNER
    member = None if unknown or is_nobody(owner) else owner
    if topic == NOTHING and cells[PARTITION] == NOTHING:
        nothing = PrintedPartition(row.line, None, None, None)
        return PartitionRow("", -1, nothing, member, member_of(cells))
    number = _number(row, PARTITION)
    if number is None:
        raise row.error(f"{PARTITION} {show(cells[PARTITION])} is not an integer")
    if not 0 <= number < MAX_PARTITIONS:
        raise row.error(f"partition {number} is not within 0 and {MAX_PARTITIONS - 1}")
    return PartitionRow(topic, number, _offsets(row), member, member_of(cells), unknown)


def member_of(cells: Cells) -> PrintedMember:
    """Return what the row says of its member beside the id."""
    instance_id, client_id, host = (
        None if (cell := cells.get(column, NOTHING)) in ("", NOTHING) else cell
        for column in (INSTANCE, CLIENT, HOST)
    )
    owner = _OWNER.fullmatch(cells.get(OWNER, "")) if MEMBER not in cells else None
    if owner is not None and host is None:
        client_id, host = client_id or owner["client"], owner["host"]
    return PrintedMember(instance_id, client_id, host.removeprefix("/") or None if host else None)


def _offsets(row: PrintedRow) -> PrintedPartition:
    """Return the offsets; LAG stands in for one of them that is not printed."""
    committed, end, start = (_offset(row, name) for name in (COMMITTED, END, START))
    lag = _number(row, LAG)
    if COMMITTED not in row.cells and end is not None and lag is not None:
        committed = end - max(lag, 0)
    if end is None and committed is not None and lag is not None:
        end = committed + max(lag, 0)
    if committed is not None and not 0 <= committed < 2**63:
        raise row.error(f"{COMMITTED} {committed} is not within 0 and 2^63 - 1")
    if start is not None and end is not None and start > end:
        raise row.error(f"{START} {start} is beyond {END} {end}")
    agreed = committed is None or end is None or lag in (None, end - committed)
    clipped = lag == 0 and committed is not None and end is not None and committed > end
    hand_lag = None if agreed or clipped else lag
    return PrintedPartition(row.line, committed, end, start, hand_lag)


def _offset(row: PrintedRow, column: str) -> int | None:
    value = _number(row, column)
    if value == -1 and column == COMMITTED:  # Kafka keeps -1 for a commit that was never made
        return None
    if value is not None and not 0 <= value < 2**63:
        raise row.error(f"{column} {value} is not within 0 and 2^63 - 1")
    return value


def _number(row: PrintedRow, column: str) -> int | None:
    """Return the number in the column; None if there is none. Raises InputError for a word."""
    cell = row.cells.get(column, "")
    if cell.lower() in ABSENT:
        return None
    value = integer_of(cell)
    if value is None:
        raise row.error(f"{column} {show(cell)} is not an integer")
    return value


def partition_name(topic: str, number: int) -> str:
    """Return the name of a partition for messages."""
    return f"{shorten(topic)}-{number}"
