"""Partitions of each topic at each member, kept only where there are any; and of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import distinct, ranges
from equilag.domain.group.group import NOBODY, Group, Index, Ints

MAX_SPARSITY: Final = 16
"""Cells of a table per partition up to which a table is kept: it is read two to three times as fast
as sorted cells, and O(partitions) still."""


@dataclass(eq=False)
class TopicCounts:
    """The counts of one assignment, and of what it is changed to; O(partitions) memory.

    A cell is member × topics + topic: all partitions of a member are neighbours.
    """

    n_topics: int
    n_members: int
    _cell: Ints
    """Ascending; empty where there is a table."""
    _count: Ints
    _table: Ints | None
    """[M × T] counts of all cells, in small groups."""

    @staticmethod
    def of(group: Group, assigned: Index) -> TopicCounts:
        """Count an assignment [P], NOBODY for partitions of nobody. O(P log P)."""
        n_topics, n_members = len(group.topics), group.n_members
        held = np.flatnonzero(assigned != NOBODY)
        cell = assigned[held].astype(np.int64) * n_topics + group.topic_of[held]
        size, nothing = n_topics * n_members, np.zeros(0, np.int64)
        if size <= MAX_SPARSITY * len(assigned):
            table = np.bincount(cell, minlength=size).astype(np.int64)
            return TopicCounts(n_topics, n_members, nothing, nothing, table)
        cell, count = np.unique(cell, return_counts=True)
        return TopicCounts(n_topics, n_members, cell, count, None)

    def at(self, topics: int | Ints | Index, members: int | Ints | Index) -> Ints:
        """The counts of topic and member, broadcast together."""
        cell = np.asarray(members, np.int64) * self.n_topics + topics
        if self._table is not None:
            found: Ints = self._table[cell]
            return found
        if not len(self._cell):
            return np.zeros(cell.shape, np.int64)
        place = np.minimum(np.searchsorted(self._cell, cell), len(self._cell) - 1)
        return np.where(self._cell[place] == cell, self._count[place], 0)

    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Topic, member and count of every cell that is not 0, by topic and then by member."""
        if self._table is not None:
            cell = np.flatnonzero(self._table)
            count = self._table[cell]
        else:
            some = self._count != 0
            cell, count = self._cell[some], self._count[some]
        member, topic = cell // max(1, self.n_topics), cell % max(1, self.n_topics)
        order = np.argsort(topic, kind="stable")
        return topic[order], member[order], count[order]

    def add(self, topics: Ints | Index, members: Ints | Index, amount: int) -> None:
        """Add `amount` to a cell for every topic and member; a cell may come up several times."""
        cell = np.asarray(members, np.int64) * self.n_topics + topics
        if self._table is not None:
            np.add.at(self._table, cell, amount)
            return
        place = np.searchsorted(self._cell, cell)
        known = place < len(self._cell)
        known[known] = self._cell[place[known]] == cell[known]
        if not known.all():
            new = distinct(cell[~known])
            place = np.searchsorted(self._cell, new)
            self._cell = np.insert(self._cell, place, new)
            self._count = np.insert(self._count, place, 0)
            place = np.searchsorted(self._cell, cell)
        np.add.at(self._count, place, amount)


class CountInterval(NamedTuple):
    """Fewest and most partitions, elementwise."""

    least: Ints
    most: Ints


class InstanceSums(NamedTuple):
    """Fewest and most partitions of each of I instances."""

    of: Ints
    """[M] the instance of each member."""
    least: Ints
    """[I]"""
    most: Ints
    """[I]"""

    def total(self, counts: Ints) -> Ints:
        """[I, ...] the sums of the counts [M, ...] of members."""
        total = np.zeros((len(self.least), *counts.shape[1:]), np.int64)
        np.add.at(total, self.of, counts)
        return total

    def without(self, counts: Ints) -> InstanceSums:
        """The sums of what comes on top of the counts [M]."""
        kept = self.total(counts)
        return InstanceSums(self.of, self.least - kept, self.most - kept)

    def admit(self, counts: Ints) -> bool:
        """True if the counts [M] keep to all sums."""
        total = self.total(counts)
        return bool(((total >= self.least) & (total <= self.most)).all())


class OpenRow(NamedTuple):
    """All members that may have one more, topic by topic, in one row that is not written out."""

    edges: Ints
    """[T + 1] where each topic's begin."""
    end: Ints
    """[pairs] where the members of each open pair end; pairs by topic."""
    shift: Ints
    """[pairs] from a position in the row to that in `by_place`."""
    by_place: Ints
    """[M]"""

    def members_at(self, positions: Ints) -> Ints:
        pair = self.end.searchsorted(positions, side="right")
        members: Ints = self.by_place[positions + self.shift[pair]]
        return members


def members_of_pairs(
    topic: Ints, label: Ints, label_of: Ints | Index, size: Ints
) -> tuple[Ints, Ints]:
    """Topic and member for all members whose label goes with the topic; `size` is that of each."""
    order = np.argsort(label_of, kind="stable")
    if not len(topic):
        return topic, topic
    if len(size) == 1:
        return np.repeat(topic, len(order)), np.tile(order, len(topic))
    end = np.cumsum(size)[label]
    number = size[label]
    return np.repeat(topic, number), order[ranges(end - number, end)]
