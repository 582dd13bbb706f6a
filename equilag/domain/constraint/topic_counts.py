"""Partitions of each topic at each member, and of instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import ranges
from equilag.domain.group.group import NOBODY, Group, Index, Ints


def topic_counts(group: Group, assigned: Index) -> Index:
    """[T, M] partitions of each topic at each member, for an assignment [P]."""
    n_topics, n_members = len(group.topics), group.n_members
    table = np.zeros(n_topics * n_members, np.int32)
    held = np.flatnonzero(assigned != NOBODY)
    # Ten times as fast as by topic and member, and as with a 1 of 64 bits.
    np.add.at(table, group.topic_of[held] * np.int64(n_members) + assigned[held], np.int32(1))
    return table.reshape(n_topics, n_members)


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
