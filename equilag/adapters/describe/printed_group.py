"""One group out of the rows of a text: its last moment, and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.describe.find_tables import TablesFound
from equilag.adapters.describe.partition_rows import (
    AGREES,
    NONE,
    ROW,
    Numbered,
    PrintedMember,
    PrintedOwner,
    RowNames,
    Rows,
)
from equilag.domain.columns import Flags, Ints, distinct
from equilag.domain.show import form, plural, shorten, some_of

MAX_SHOWN: Final = 10
"""Partitions that a sentence names."""
_MAX_DETAILS: Final = 3
"""Partitions of which a sentence gives figures too."""


class Gap(NamedTuple):
    """A topic, its highest partition, how many below it are not listed, and the first of these."""

    topic: str
    highest: int
    missing: int
    first: list[int]


@dataclass(slots=True)
class PrintedGroup:
    """One group's partitions, one row each, and what is known of its members.

    `name` is None where the text does not say it.
    """

    name: str | None
    names: RowNames
    rows: Rows = field(default_factory=lambda: np.empty(0, ROW))
    """Sorted by topic; topics and the rows of each are in the order of the text."""
    topics: dict[str, slice] = field(default_factory=dict)
    """Where the rows of each topic are."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Partitions of each topic, as far as the text can tell."""
    members: dict[str, PrintedMember] = field(default_factory=dict)
    second: Rows = field(default_factory=lambda: np.empty(0, ROW))
    """Rows that give a partition to one member more."""
    moments: int = 1
    """How many times the text shows the group; the last one counts."""
    rebalancing: bool = False
    tables: int = 0
    """Tables of the last moment."""
    found: TablesFound = field(default_factory=TablesFound)
    """The tables that are about it."""
    remarks: list[str] = field(default_factory=list)
    """What its choice has left out."""
    is_cut: bool = False
    """True if a line that is cut off was left out."""

    def partition(self, row: np.void) -> str:
        """The name of a row's partition for messages."""
        return f"{shorten(self.names.topics.names[row['topic']])}-{row['number']}"

    def owners(self, test: Callable[[PrintedOwner], object]) -> Flags:
        """[R] true for the rows with an owner that passes the test."""
        owners = self.names.owners
        cells, place = np.unique(self.rows["owner"], return_inverse=True)
        return np.array([bool(test(owners[cell])) for cell in cells], np.bool_)[place]

    def gaps(self) -> Iterator[Gap]:
        for topic, size in sorted(self.sizes.items()):
            where = self.topics[topic]
            if where.stop - where.start < size:
                is_missing = np.ones(size, np.bool_)
                is_missing[self.rows["number"][where]] = False
                missing = np.flatnonzero(is_missing)
                yield Gap(topic, size - 1, len(missing), missing[:MAX_SHOWN].tolist())

    def owned(self) -> dict[str, dict[str, list[int]]]:
        """Member -> topic -> partitions, also those that the text gives to two members."""
        found: dict[str, dict[str, list[int]]] = {member: {} for member in self.members}
        for rows in (self.rows, self.second) if len(self.second) else (self.rows,):
            ids, member = _members(rows, self.names)
            order = np.argsort(member, kind="stable")[np.count_nonzero(member < 0) :]
            member, topic = member[order], rows["topic"][order]
            numbers = rows["number"][order].tolist()
            starts = np.flatnonzero(np.diff(member, prepend=-1) | np.diff(topic, prepend=-1))
            for start, end in pairwise((*starts.tolist(), len(order))):
                name = self.names.topics.names[topic[start]]
                found[ids[member[start]]].setdefault(name, []).extend(numbers[start:end])
        return found

    def owner_ids(self) -> set[str | None]:
        """The members that own partitions."""
        owners = self.names.owners
        return {owners[cell].member for cell in distinct(self.rows["owner"])} - {None}

    def add(self, tables: Sequence[Rows]) -> None:
        """Take the rows of all tables of the group.

        A table is of a later moment if one of its partitions is in the moment already. Within a
        table, a partition that stands there twice with one committed offset and two members belongs
        to both; otherwise the later row counts.
        """
        moment: list[tuple[Rows, Rows, Rows]] = []
        seen: set[int] = set()
        for table in tables:
            listed = table["topic"] >= 0
            rows = table if listed.all() else table[listed]
            if len(tables) > 1:
                keys = _keys(rows).tolist()
                if not seen.isdisjoint(keys):
                    self.moments += 1
                    moment.clear()
                    seen.clear()
                seen.update(keys)
            rows, second, again = _distinct(rows, self.names)
            self.moments += again
            moment.append((table, rows, second))
        self.tables = len(moment)
        every, rows, self.second = map(np.concatenate, zip(*moment, strict=True))
        self.members = _known_members(every, self.names)
        self.take(rows)

    def take(self, rows: Rows) -> None:
        """Have these rows, of which no two are about one partition."""
        self.rows = rows[np.argsort(rows["topic"], kind="stable")]
        starts = np.flatnonzero(np.diff(self.rows["topic"], prepend=NONE))
        names = [self.names.topics.names[topic] for topic in self.rows["topic"][starts]]
        slices = starmap(slice, pairwise((*starts.tolist(), len(rows))))
        self.topics = dict(zip(names, slices, strict=True))
        largest = np.maximum.reduceat(self.rows["number"], starts) if names else starts
        self.sizes = dict(zip(names, (largest + 1).tolist(), strict=True))


def _keys(rows: Rows | np.void) -> Ints:
    """A number for each partition."""
    keys: Ints = rows["topic"].astype(np.int64) << 32 | rows["number"]
    return keys


def _members(rows: Rows, names: RowNames) -> tuple[list[str], Ints]:
    """The members that own a row, and the place of each row's owner among them; NONE for nobody."""
    owners, ids = names.owners, Numbered[str]()
    cells, place = np.unique(rows["owner"], return_inverse=True)
    found = [owners[cell].member for cell in cells]
    numbers = [NONE if member is None else ids[member] for member in found]
    return ids.names, np.array(numbers, np.int64)[place]


def _distinct(rows: Rows, names: RowNames) -> tuple[Rows, Rows, bool]:
    """One row for each partition, those that give one to a second member, and whether a partition
    stands there with two commits."""
    keys = _keys(rows)
    if len(distinct(keys)) == len(keys):
        return rows, rows[:0], False
    member, committed = _members(rows, names)[1].tolist(), rows["committed"].tolist()
    kept: dict[int, int] = {}
    second: list[int] = []
    again = False
    for at, key in enumerate(keys.tolist()):
        there = kept.get(key, at)
        if committed[there] != committed[at]:
            again = True
        elif NONE not in (member[at], member[there]) and member[at] != member[there]:
            second.append(at)
            continue
        kept[key] = at
    return rows[[*kept.values()]], rows[second], again


def _known_members(rows: Rows, names: RowNames) -> dict[str, PrintedMember]:
    """What all rows say of each member; what the first ones say counts."""
    found: dict[str, PrintedMember] = {}
    for cell in rows["owner"][np.sort(np.unique(rows["owner"], return_index=True)[1])]:
        member, known, _ = names.owners[cell]
        if member is not None:
            found[member] = found.get(member, PrintedMember()).completed(known)
    return found


def read_groups(found: TablesFound) -> list[PrintedGroup]:
    """Return the groups that the tables have partitions of, in order. Raises InputError.

    Tables that do not say their group are about the only one that the text names. Tables of one
    group with different partitions are one moment: people cut tables in two.
    """
    tables: dict[str | None, list[Rows]] = {}
    only = found.only_name()
    for table in found.tables:
        if table.header.has_offsets:
            table.settle()
            for name, rows in table.by_group():
                tables.setdefault(name or only, []).append(rows)
    groups = [PrintedGroup(name, found.names) for name in tables]
    for group in groups:
        group.rebalancing = group.name in found.messages.rebalancing
        group.add(tables[group.name])
    return [group for group in groups if group.topics]


def sentences(group: PrintedGroup, reset: str) -> list[str]:
    """Return a sentence for each kind of doubt about the group; `reset` is auto.offset.reset."""
    found = []
    if group.moments > 1:
        found.append(f"the text shows the group {group.moments} times; the last one counts")
    if group.rebalancing:
        found.append("the group was rebalancing: the owners are those during the rebalance")
    rows = group.rows
    committed, end, lag = rows["committed"], rows["end"], rows["lag"]
    edited = lag != AGREES
    if edited.any():
        read = np.maximum(end - committed, 0)
        shown = some_names(
            group, edited, _MAX_DETAILS, lambda at: f" (LAG {lag[at]}, read as {read[at]})"
        )
        found.append(f"LAG is not LOG-END-OFFSET - CURRENT-OFFSET; the offsets count: {shown}")
    doubts: tuple[tuple[Flags, Callable[[str, str], str]], ...] = (
        (
            (end >= 0) & (committed > end),
            lambda some, are: f"{some} {are} committed beyond the log end, which counts as lag 0",
        ),
        (end < 0, lambda some, _: f"the log end of {some} is unknown, and so is the lag"),
        (
            group.owners(lambda owner: owner.unknown),
            lambda some, _: f"the owner of {some} is unknown and counts as nobody",
        ),
    )
    for where, doubt in doubts:
        if count := int(where.sum()):
            told = doubt(plural(count, "partition"), form(count, "is", "are"))
            found.append(f"{told}: {some_names(group, where)}")
    if count := len(group.second):
        has, them = form(count, "has", "have"), form(count, "it", "them")
        pairs = [_pair(group, row) for row in group.second[:_MAX_DETAILS]]
        shown = some_of([*pairs, *[""] * (count - len(pairs))], _MAX_DETAILS)
        owners = f"{plural(count, 'partition')} {has} two owners"
        found.append(f"{owners}, so nobody owns {them}: {shown}")
    return [*found, *(_gap_sentence(gap, reset) for gap in group.gaps())]


def _pair(group: PrintedGroup, row: np.void) -> str:
    """A partition and its two owners."""
    first = group.rows["owner"][_keys(group.rows) == _keys(row)].item()
    ids = (group.names.owners[owner].member or "" for owner in (first, row["owner"]))
    return f"{group.partition(row)} ({', '.join(map(shorten, ids))})"


def some_names(
    group: PrintedGroup,
    where: Flags,
    most: int = MAX_SHOWN,
    about: Callable[[int], str] = lambda _: "",
) -> str:
    """The names of some of the partitions in these rows, with what there is to say about each."""
    places = np.flatnonzero(where)
    names = [f"{group.partition(group.rows[at])}{about(at)}" for at in places[:most]]
    return some_of([*names, *[""] * (len(places) - len(names))], most)


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
