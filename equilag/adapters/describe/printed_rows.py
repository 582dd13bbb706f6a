"""The rows of `kafka-consumer-groups --describe`: partitions with offsets, members, owners."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from equilag.adapters.describe.printed_table import (
    MEMBERS,
    NOTHING,
    OFFSETS,
    PrintedRow,
    PrintedTable,
    read_table,
)
from equilag.building.topic_index import MAX_PARTITIONS
from equilag.errors import InputError
from equilag.show import plural, shorten, show

_ASSIGNMENTS: Final = ("CURRENT-ASSIGNMENT", "ASSIGNMENT")
_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")
# `files(0,1), lines(2)`, as printed before Kafka 4; since then `files:0,1;lines:2`.
_BRACKETS: Final = re.compile(r"\s*([^\s(),;:]+)\(([0-9, ]*)\)\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class PrintedPartition:
    """What a row says of a partition; `committed` is None without a commit."""

    line: int
    committed: int | None
    end: int


class PrintedMember(NamedTuple):
    """What a row says of a member; None where the text does not have it."""

    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None
    """Without the slash that Kafka prints before it."""


@dataclass(slots=True)
class PrintedGroup:
    """One group's rows: partitions by topic and number, and by member what it is and owns."""

    group: str
    topics: dict[str, dict[int, PrintedPartition]] = field(default_factory=dict)
    owned: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    members: dict[str, PrintedMember] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def size(self, topic: str) -> int:
        """Partitions of the topic, as far as the text can tell."""
        return max(self.topics[topic]) + 1


def read_offsets(text: str, group: str | None) -> PrintedGroup:
    """The rows of `group`, or of the only group in the text. Raises InputError."""
    table = read_table(text, OFFSETS)
    groups = {row.cells["GROUP"] for row in table.rows if "GROUP" in row.cells} or table.named
    shown = ", ".join(show(name) for name in sorted(groups)[:10])
    if group is None:
        if len(groups) > 1:
            raise InputError(f"{len(groups)} groups in one text, pick one: {shown}")
        if not groups:
            raise InputError("the table has no column GROUP, so the group's name must be given")
        (group,) = groups
    elif groups and group not in groups:
        raise InputError(f"no group {show(group)} in the text, but {shown}")
    offsets = PrintedGroup(group)
    if len(groups) > 1:
        others = plural(len(groups) - 1, "other group")
        offsets.remarks.append(f"{others} in the text left out")
    if group in table.rebalancing:
        offsets.remarks.append(
            "the group was rebalancing, so its owners are those of a moment in between"
        )
    for row in _rows_of(table, group):
        _read_row(row, offsets)
    if not offsets.topics:
        raise InputError(f"no partition of group {show(group)} in the text")
    return offsets


def read_members(text: str, offsets: PrintedGroup) -> dict[str, PrintedMember]:
    """The group's members, as `--describe --members` has them.

    Raises InputError, also if they do not own what `offsets` says: then the two texts are of
    different moments.
    """
    found: dict[str, PrintedMember] = {}
    for row in _rows_of(read_table(text, MEMBERS), offsets.group):
        member = row.cells["CONSUMER-ID"]
        if member in found:
            raise row.error(f"member {show(member)} is listed twice")
        other = offsets.members.get(member, PrintedMember())
        found[member] = PrintedMember(*(a or b for a, b in zip(_member(row), other, strict=True)))
        _compare(row, offsets.owned.get(member, {}))
    for member in offsets.owned:
        if member not in found:
            raise InputError(f"member {show(member)} is missing, though it owns partitions")
    return found


def _member(row: PrintedRow) -> PrintedMember:
    instance_id, client_id, host = (
        None if (cell := row.cells.get(column, NOTHING)) in ("", NOTHING) else cell
        for column in ("GROUP-INSTANCE-ID", "CLIENT-ID", "HOST")
    )
    return PrintedMember(instance_id, client_id, host.removeprefix("/") or None if host else None)


def _rows_of(table: PrintedTable, group: str) -> Iterator[PrintedRow]:
    return (row for row in table.rows if row.cells.get("GROUP", group) == group)


def _read_row(row: PrintedRow, offsets: PrintedGroup) -> None:
    cells = row.cells
    topic, member = cells["TOPIC"], cells["CONSUMER-ID"]
    if member != NOTHING and member not in offsets.members:
        offsets.members[member] = _member(row)
    if topic == NOTHING and cells["PARTITION"] == NOTHING:
        if member != NOTHING:  # a member that owns nothing
            offsets.owned.setdefault(member, {})
        return
    number = _integer(row, "PARTITION")
    if not 0 <= number < MAX_PARTITIONS:
        raise row.error(f"partition {number} is not within 0 and {MAX_PARTITIONS - 1}")
    name = f"{shorten(topic)}-{number}"
    if cells["LOG-END-OFFSET"] in (NOTHING, "unknown"):
        raise row.error(f"the log end of {name} is not known, so neither is its lag")
    end = _offset(row, "LOG-END-OFFSET")
    # Kafka keeps -1 for a commit that was never made.
    no_commit = cells["CURRENT-OFFSET"] in (NOTHING, "-1", "unknown")
    committed = None if no_commit else _offset(row, "CURRENT-OFFSET")
    lag = cells.get("LAG", NOTHING)
    if lag not in (NOTHING, "unknown") and (
        committed is None or _integer(row, "LAG") != end - committed
    ):
        raise row.error(f"LAG {show(lag)} is not LOG-END-OFFSET - CURRENT-OFFSET")
    partitions = offsets.topics.setdefault(topic, {})
    if number in partitions:
        raise row.error(f"{name} is there already, in line {partitions[number].line}")
    partitions[number] = PrintedPartition(row.line, committed, end)
    if member != NOTHING:
        offsets.owned.setdefault(member, {}).setdefault(topic, []).append(number)


def _integer(row: PrintedRow, column: str) -> int:
    cell = row.cells[column]
    if not _INTEGER.fullmatch(cell):
        raise row.error(f"{column} {show(cell)} is not an integer")
    return int(cell)


def _offset(row: PrintedRow, column: str) -> int:
    value = _integer(row, column)
    if not 0 <= value < 2**63:
        raise row.error(f"{column} {value} is not within 0 and 2^63 - 1")
    return value


def _compare(row: PrintedRow, owned: dict[str, list[int]]) -> None:
    count = sum(map(len, owned.values()))
    if _integer(row, "#PARTITIONS") != count:
        raise row.error(
            f"#PARTITIONS is {row.cells['#PARTITIONS']} here, but {count} in the other text"
        )
    column = next((name for name in _ASSIGNMENTS if name in row.cells), None)
    if column is None:
        return
    here = {topic: set(numbers) for topic, numbers in _assignment(row, column).items()}
    if here != {topic: set(numbers) for topic, numbers in owned.items()}:
        raise row.error("owns other partitions here than in the other text")


def _assignment(row: PrintedRow, column: str) -> dict[str, list[int]]:
    """`files:0,1;lines:2`, `files(0,1), lines(2)` or `-`."""
    cell = row.cells[column]
    found: dict[str, list[int]] = {}
    if cell in ("", NOTHING):
        return found
    if "(" in cell:
        parts = [(match[1], match[2]) for match in _BRACKETS.finditer(cell)]
        whole = sum(len(match.group()) for match in _BRACKETS.finditer(cell)) == len(cell)
    else:
        split = [part.rpartition(":") for part in cell.split(";")]
        parts = [(topic, numbers) for topic, _, numbers in split]
        whole = all(topic for topic, _ in parts)
    for topic, numbers in parts:
        for number in numbers.split(","):
            whole = whole and re.fullmatch(r"\s*[0-9]{1,10}\s*", number) is not None
            if whole:
                found.setdefault(topic, []).append(int(number))
    if not whole:
        raise row.error(f"{column} {show(cell)} is not understood")
    return found
