"""One group out of the rows of a text: its last moment, and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final, NamedTuple

from equilag.adapters.describe.partition_rows import PartitionRow, PrintedMember
from equilag.adapters.describe.printed_table import TablesFound
from equilag.adapters.describe.table_header import GROUP
from equilag.domain.show import form, plural, shorten, some_of


class Gap(NamedTuple):
    """A topic, its highest partition, how many below it are not listed, and the first of these."""

    topic: str
    highest: int
    missing: int
    first: list[int]


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

    def rows(self) -> Iterator[PartitionRow]:
        """The row of every partition that is listed."""
        for listed in self.topics.values():
            yield from listed.values()

    def gaps(self) -> Iterator[Gap]:
        for topic in sorted(self.topics):
            listed, size = self.topics[topic], self.size(topic)
            if len(listed) < size:
                missing = (number for number in range(size) if number not in listed)
                yield Gap(topic, size - 1, size - len(listed), [*islice(missing, MAX_SHOWN)])

    def owned(self) -> dict[str, dict[str, list[int]]]:
        """Member -> topic -> partitions, also those that the text gives to two members."""
        found: dict[str, dict[str, list[int]]] = {member: {} for member in self.members}
        for row in chain(self.rows(), self.second):
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
            if there is not None and there.committed == row.committed:
                if row.member not in (None, there.member) and there.member is not None:
                    self.second.append(row)
                    continue
            elif there is not None:
                again = True
            listed[row.number] = row
        self.moments += again

    def _add_member(self, row: PartitionRow) -> None:
        if row.member is not None:
            known = self.members.get(row.member)
            if known != row.known:
                self.members[row.member] = row.known.completed(known or PrintedMember())


def read_groups(found: TablesFound) -> list[PrintedGroup]:
    """Return the groups that the tables have partitions of, in order. Raises InputError.

    Tables that do not say their group are about the only one that the text names. Tables of one
    group with different partitions are one moment: people cut tables in two.
    """
    groups: dict[str | None, PrintedGroup] = {}
    only = only_name(found)
    for table in found.tables:
        if not table.header.has_offsets:
            continue
        table.settle()
        for group, rows in table.partitions.items():
            name = group or only
            groups.setdefault(name, PrintedGroup(name)).add(rows)
    for known in groups.values():
        known.rebalancing = known.name in found.messages.rebalancing
    return [known for known in groups.values() if known.topics]


def only_name(found: TablesFound) -> str | None:
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


def sentences(group: PrintedGroup, reset: str) -> list[str]:
    """Return a sentence for each kind of doubt about the group; `reset` is auto.offset.reset."""
    found = []
    if group.moments > 1:
        found.append(f"the text shows the group {group.moments} times; the last one counts")
    if group.rebalancing:
        found.append("the group was rebalancing: the owners are those during the rebalance")
    edited, ahead, endless, ownerless = _doubtful(group)
    if edited:
        shown = some_of(
            [f"{row.name} (LAG {row.hand_lag}, read as {max(row.lag or 0, 0)})" for row in edited],
            _MAX_DETAILS,
        )
        found.append(f"LAG is not LOG-END-OFFSET - CURRENT-OFFSET; the offsets count: {shown}")
    if ahead:
        are = f"{plural(len(ahead), 'partition')} {form(len(ahead), 'is', 'are')}"
        lag = "committed beyond the log end, which counts as lag 0"
        found.append(f"{are} {lag}: {_names(ahead)}")
    if endless:
        ends = f"the log end of {plural(len(endless), 'partition')} is unknown"
        found.append(f"{ends}, and so is the lag: {_names(endless)}")
    if ownerless:
        owners = f"the owner of {plural(len(ownerless), 'partition')} is unknown"
        found.append(f"{owners} and counts as nobody: {_names(ownerless)}")
    if group.second:
        first = (group.topics[row.topic][row.number].member for row in group.second)
        pairs = [
            f"{row.name} ({shorten(member or '')}, {shorten(row.member or '')})"
            for row, member in zip(group.second, first, strict=True)
        ]
        count, number = plural(len(pairs), "partition"), len(pairs)
        has, them = form(number, "has", "have"), form(number, "it", "them")
        shown = some_of(pairs, _MAX_DETAILS)
        found.append(f"{count} {has} two owners, so nobody owns {them}: {shown}")
    return [*found, *(_gap_sentence(gap, reset) for gap in group.gaps())]


def _doubtful(group: PrintedGroup) -> tuple[list[PartitionRow], ...]:
    """Rows with an edited LAG, committed beyond the end, without an end, without an owner."""
    edited, ahead, endless, ownerless = [], [], [], []
    for row in group.rows():
        if row.hand_lag is not None:
            edited.append(row)
        if row.end is None:
            endless.append(row)
        elif row.committed is not None and row.committed > row.end:
            ahead.append(row)
        if row.owner_unknown:
            ownerless.append(row)
    return edited, ahead, endless, ownerless


def _names(rows: list[PartitionRow]) -> str:
    return some_of([row.name for row in rows], MAX_SHOWN)


def _gap_sentence(gap: Gap, reset: str) -> str:
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
