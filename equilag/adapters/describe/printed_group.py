"""One group out of the rows of a text: its last moment, and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from equilag.adapters.describe.column_names import GROUP
from equilag.adapters.describe.partition_rows import (
    PartitionRow,
    PrintedMember,
    PrintedPartition,
    read_partition,
)
from equilag.adapters.describe.printed_table import TablesFound


@dataclass(slots=True)
class PrintedGroup:
    """One group's rows by topic and number, and what is known of its members.

    `name` is None where the text does not say it.
    """

    name: str | None
    topics: dict[str, dict[int, PartitionRow]] = field(default_factory=dict)
    members: dict[str, PrintedMember] = field(default_factory=dict)
    second: list[PartitionRow] = field(default_factory=list)
    """Rows that give a partition to one member more."""
    moments: int = 1
    """How many times the text shows the group; the last one counts."""
    rebalancing: bool = False
    tables: int = 0
    """Tables of the last moment."""

    def size(self, topic: str) -> int:
        """Partitions of the topic, as far as the text can tell."""
        return max(self.topics[topic]) + 1

    def rows(self) -> Iterator[tuple[str, int, PartitionRow]]:
        """Topic, number and row of every partition that is listed."""
        for topic, listed in self.topics.items():
            for number, row in listed.items():
                yield topic, number, row

    def partitions(self) -> Iterator[tuple[str, int, PrintedPartition]]:
        """Topic, number and offsets of every partition that is listed."""
        for topic, number, row in self.rows():
            yield topic, number, row.partition

    def owned(self) -> dict[str, dict[str, list[int]]]:
        """Member -> topic -> partitions, also those that the text gives to two members."""
        found: dict[str, dict[str, list[int]]] = {member: {} for member in self.members}
        rows = [row for _, _, row in self.rows()]
        for row in (*rows, *self.second):
            if row.member is not None:
                found[row.member].setdefault(row.topic, []).append(row.number)
        return found

    def add(self, rows: list[PartitionRow]) -> None:
        """Take the rows of one table.

        They are a later moment if one of their partitions is there already. Within the table, a
        partition that stands there twice with one committed offset and two members belongs to
        both; otherwise the later row counts.
        """
        if any(row.number in self.topics.get(row.topic, ()) for row in rows):
            self.moments += 1
            self.topics, self.members, self.second, self.tables = {}, {}, [], 0
        self.tables += 1
        again = False
        for row in rows:
            self._add_member(row)
            if not row.topic:
                continue
            listed = self.topics.setdefault(row.topic, {})
            there = listed.get(row.number)
            if there is not None and there.partition.committed == row.partition.committed:
                if row.member not in (None, there.member) and there.member is not None:
                    self.second.append(row)
                    continue
            elif there is not None:
                again = True
            listed[row.number] = row
        self.moments += again

    def _add_member(self, row: PartitionRow) -> None:
        if row.member is not None:
            known = self.members.get(row.member, PrintedMember())
            pairs = zip(row.known, known, strict=True)
            self.members[row.member] = PrintedMember(*(a or b for a, b in pairs))


def read_groups(found: TablesFound) -> list[PrintedGroup]:
    """Return the groups that the tables have partitions of, in order. Raises InputError.

    Tables that do not say their group are about the only one that the text names. Tables of one
    group with different partitions are one moment: people cut tables in two.
    """
    groups: dict[str | None, PrintedGroup] = {}
    only = _only_name(found)
    for table in found.tables:
        if not table.header.has_offsets:
            continue
        rows_of: dict[str | None, list[PartitionRow]] = {}
        for row in table.rows:
            name = table.group_of(row) or only
            rows_of.setdefault(name, []).append(read_partition(row))
        for group, rows in rows_of.items():
            groups.setdefault(group, PrintedGroup(group)).add(rows)
    for known in groups.values():
        known.rebalancing = known.name in found.messages.rebalancing
    return [known for known in groups.values() if known.topics]


def _only_name(found: TablesFound) -> str | None:
    """Return the name that a message below the tables or a list of members gives them, if it is
    the only one, and no table with offsets has another source of its name."""
    offsets = [table for table in found.tables if table.header.has_offsets]
    if any(table.group is not None or GROUP in table.header.names for table in offsets):
        return None
    cells = {row.cells.get(GROUP) for table in found.tables for row in table.rows}
    names = {*cells, *found.messages.named} - {None}
    return names.pop() if len(names) == 1 else None
