"""One group out of the rows of a text: its last moment, and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from equilag.adapters.describe.partition_rows import (
    PartitionRow,
    PrintedMember,
    PrintedPartition,
    partition_name,
    read_partition,
)
from equilag.adapters.describe.printed_table import TablesFound
from equilag.adapters.describe.table_header import GROUP
from equilag.domain.show import form, plural, shorten, some_of


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


MAX_SHOWN: Final = 10
"""Partitions that a sentence names."""
_MAX_DETAILS: Final = 3
"""Partitions of which a sentence gives figures too."""


@dataclass(frozen=True, slots=True)
class DescribeDoubts:
    """Names of partitions, each with what is doubtful about it; missing ones by topic."""

    hand_lags: tuple[str, ...]
    """`orders-3 (LAG 9, read as 1)`."""
    ahead: tuple[str, ...]
    end_unknown: tuple[str, ...]
    owner_unknown: tuple[str, ...]
    twice: tuple[str, ...]
    """`orders-3 (c-1, c-2)`."""
    gaps: tuple[tuple[str, int, int, tuple[int, ...]], ...]
    """Topic, its highest partition, how many below it are not listed, and the first of these."""


def doubts_of(group: PrintedGroup) -> DescribeDoubts:
    """Return what is doubtful about the rows of the group."""

    def names(doubtful: Callable[[PrintedPartition], bool]) -> tuple[str, ...]:
        rows = group.partitions()
        return tuple(partition_name(t, n) for t, n, partition in rows if doubtful(partition))

    first = {(row.topic, row.number): row.member for _, _, row in group.rows()}
    return DescribeDoubts(
        hand_lags=tuple(_hand_lags(group)),
        ahead=names(
            lambda p: p.committed is not None and p.end is not None and p.committed > p.end
        ),
        end_unknown=names(lambda p: p.end is None),
        owner_unknown=tuple(
            partition_name(t, n) for t, n, row in group.rows() if row.owner_unknown
        ),
        twice=tuple(
            f"{partition_name(row.topic, row.number)}"
            f" ({shorten(first[row.topic, row.number] or '')}, {shorten(row.member or '')})"
            for row in group.second
        ),
        gaps=tuple(_gaps(group)),
    )


def _hand_lags(group: PrintedGroup) -> Iterable[str]:
    for topic, number, row in group.partitions():
        if row.hand_lag is not None and row.end is not None and row.committed is not None:
            read = max(row.end - row.committed, 0)
            yield f"{partition_name(topic, number)} (LAG {row.hand_lag}, read as {read})"


def _gaps(group: PrintedGroup) -> Iterable[tuple[str, int, int, tuple[int, ...]]]:
    for topic in sorted(group.topics):
        listed, size = group.topics[topic], group.size(topic)
        count = size - len(listed)
        if count:
            missing = (number for number in range(size) if number not in listed)
            yield topic, size - 1, count, tuple(islice(missing, MAX_SHOWN))


def sentences(group: PrintedGroup, doubts: DescribeDoubts, reset: str) -> list[str]:
    """Return a sentence for each kind of doubt; `reset` is auto.offset.reset."""
    found = []
    if group.moments > 1:
        found.append(f"the text shows the group {group.moments} times; the last one counts")
    if group.rebalancing:
        found.append("the group was rebalancing: the owners are those during the rebalance")
    if doubts.hand_lags:
        shown = some_of(doubts.hand_lags, _MAX_DETAILS)
        found.append(f"LAG is not LOG-END-OFFSET - CURRENT-OFFSET; the offsets count: {shown}")
    if doubts.ahead:
        count = plural(len(doubts.ahead), "partition")
        are = form(len(doubts.ahead), "is", "are")
        shown = some_of(doubts.ahead, MAX_SHOWN)
        found.append(f"{count} {are} committed beyond the log end, which counts as lag 0: {shown}")
    if doubts.end_unknown:
        shown = some_of(doubts.end_unknown, MAX_SHOWN)
        count = plural(len(doubts.end_unknown), "partition")
        found.append(f"the log end of {count} is unknown, and so is the lag: {shown}")
    if doubts.owner_unknown:
        shown = some_of(doubts.owner_unknown, MAX_SHOWN)
        count = plural(len(doubts.owner_unknown), "partition")
        found.append(f"the owner of {count} is unknown and counts as nobody: {shown}")
    if doubts.twice:
        shown = some_of(doubts.twice, _MAX_DETAILS)
        count = plural(len(doubts.twice), "partition")
        has, them = form(len(doubts.twice), "has", "have"), form(len(doubts.twice), "it", "them")
        found.append(f"{count} {has} two owners, so nobody owns {them}: {shown}")
    return [*found, *(_gap_sentence(gap, reset) for gap in doubts.gaps)]


def _gap_sentence(gap: tuple[str, int, int, tuple[int, ...]], reset: str) -> str:
    topic, last, count, numbers = gap
    shown = ", ".join(map(str, numbers)) + (", …" if count > len(numbers) else "")
    missing = f"{plural(count, 'partition')} below {last} {form(count, 'is', 'are')}"
    counts = "They count" if count > 1 else "It counts"
    sentence = (
        f"WARNING: {shorten(topic)}: {missing} not listed ({shown}): is the text complete?"
        f" {counts} as empty and as owned by nobody"
    )
    if reset == "latest":
        return sentence
    return (
        f"{sentence}; under auto.offset.reset {reset} the lag is the whole log, which the text does"
        " not show"
    )
