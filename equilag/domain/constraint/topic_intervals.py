"""Fewest and most partitions: of each topic per member, place by place, and of instances.

The members of a place are alike: those of one class, or each by itself where partitions are pinned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from equilag.domain.columns import Flags, Index, Ints, ranges
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import topic_counts


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


Numbers: TypeAlias = int | Ints | Index


@dataclass(frozen=True, eq=False)
class TopicIntervals:
    """The intervals of all topics; shapes as in `Group`. O(topics × places) memory."""

    group: Group
    place: Ints
    """[M]"""
    level: Ints
    """[T, places] fewest partitions of the topic at each member of the place; 0 for those that do
    not subscribe."""
    open: Flags
    """[T, places] True if the members of the place may have one more."""
    after_totals: bool = False
    """True if topics are as even as the most even totals allow."""

    @cached_property
    def by_members(self) -> TopicIntervals:
        """The same with each member as a place: O(topics × members)."""
        every, place = np.arange(self.group.n_members), self.place
        return replace(self, place=every, level=self.level[:, place], open=self.open[:, place])

    def without(self, held: Index) -> TopicIntervals:
        """The intervals of what comes on top of the counts [T, M], of which the members of a place
        have the same."""
        topic, member = np.nonzero(held)
        level = self.level.copy()
        level[topic, self.place[member]] -= held[topic, member]
        return replace(self, level=level)

    def at(self, topics: Numbers, members: Numbers) -> CountInterval:
        """The intervals of topic and member, broadcast together."""
        cell = topics, self.place[members]
        least: Ints = self.level[cell]
        return CountInterval(least, least + self.open[cell])

    # Sums

    @cached_property
    def size(self) -> Ints:
        """[places] members."""
        return np.bincount(self.place, minlength=self.open.shape[1])

    @cached_property
    def n_open(self) -> Ints:
        """[M] topics of which the member may have one more than the fewest."""
        number: Ints = self.open.sum(axis=0)[self.place]
        return number

    @cached_property
    def by_member(self) -> CountInterval:
        """[M] the sums over all topics."""
        least: Ints = self.level.sum(axis=0)[self.place]
        return CountInterval(least, least + self.n_open)

    def by_topic(self, members: Flags) -> CountInterval:
        """[T] the sums over some members [M]."""
        inside = np.bincount(self.place[members], minlength=len(self.size))
        least: Ints = self.level @ inside
        return CountInterval(least, least + self.open @ inside)

    @cached_property
    def remainder(self) -> Ints:
        """[T] partitions of each topic beyond the fewest of all its subscribers."""
        rest: Ints = _sizes(self.group) - self.level @ self.size
        return rest

    def first_outside(self, held: Index) -> tuple[int, int] | None:
        """The first topic, and its first member, whose count [T, M] is outside its interval; or
        None."""
        # Most cells of a large table are 0, and comparing each one takes 20 times as long.
        cell = np.flatnonzero(held != 0)
        topic, member = np.divmod(cell, max(1, held.shape[1]))
        count, (least, most) = held.ravel()[cell], self.at(topic, member)
        lacking = (self.level > 0) @ self.size
        lacking -= np.bincount(topic[least > 0], minlength=len(lacking))
        lacking[topic[(count < least) | (count > most)]] = 1
        for first in np.flatnonzero(lacking)[:1].tolist():
            interval = self.at(first, np.arange(len(self.place)))
            outside = (held[first] < interval.least) | (held[first] > interval.most)
            return first, int(outside.argmax())
        return None

    # Cells of topic and member

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Topic and place of every pair that is open, by topic and then by place."""
        topic, place = np.nonzero(self.open)
        return topic, place

    @cached_property
    def open_row(self) -> OpenRow:
        """The members of all open pairs by topic."""
        topic, place = self.pairs
        size, first = self.size[place], np.cumsum(self.size) - self.size
        end, edges = size.cumsum(), np.zeros(len(self.level) + 1, np.int64)
        np.add.at(edges, topic + 1, size)
        by_place = self.place.argsort(kind="stable")
        return OpenRow(edges.cumsum(), end, first[place] - end + size, by_place)

    @cached_property
    def least_cells(self) -> tuple[Ints, Ints, Ints]:
        """Topic, member and fewest partitions of every cell where that is not 0. No more cells than
        partitions."""
        topic, place = np.nonzero(self.level)
        topic, member = members_of_pairs(topic, place, self.place, self.size)
        return topic, member, self.level[topic, self.place[member]]


def _sizes(group: Group) -> Ints:
    """[T] the partitions that somebody reads."""
    return np.where(group.readers > 0, group.topic_size, 0)


def topic_intervals(group: Group, pinned: Flags) -> TopicIntervals:
    """Fewest and most partitions of each topic per member.

    Floor and ceiling of an even split over the subscribers. Where some partitions are pinned
    (`pinned` [P]), the free ones go to the subscribers with the fewest, see `_water_level`. Raises
    InputError where the partitions of a topic are of different classes: then floor and ceiling need
    not be possible.
    """
    if group.partition_classes is not None:
        raise InputError("topics are not counted one by one where partitions differ", "balance")
    if group.extended.shapes_counts:
        problem = "topics are not counted one by one where members differ in capacity or room"
        raise InputError(problem, "balance")
    size, reads = _sizes(group), group.reads
    level, rest = np.divmod(size, np.maximum(1, group.readers))
    place, extra = group.class_of.astype(np.int64), rest > 0
    if not pinned.any():
        return TopicIntervals(group, place, level[:, None] * reads, reads & extra[:, None])
    base = topic_counts(group, np.where(pinned, group.owner, NOBODY).astype(np.int32))
    for t in np.flatnonzero(base.any(axis=1)).tolist():
        held = base[t][base[t] > 0].astype(np.int64)
        free, zeros = int(size[t] - held.sum()), int(group.readers[t]) - len(held)
        level[t], extra[t] = _water_level(np.sort(held), zeros, free)
    every, reads = np.arange(group.n_members), reads[:, place]
    levels, is_open, above = level[:, None] * reads, reads & extra[:, None], base > level[:, None]
    levels[above], is_open[above] = base[above], False
    return TopicIntervals(group, every, levels, is_open)


def _water_level(base: Ints, zeros: int, free: int) -> tuple[int, bool]:
    """The level to which `free` units lift the lowest counts, and whether a part of those get one
    more, for counts `base`, ascending and above 0, and so many zeros beside them."""
    if free <= 0:
        return 0, False
    below = np.cumsum(base)
    room = base * (zeros + np.arange(len(base))) - (below - base)
    lifted = int(np.searchsorted(room, free, side="right"))
    level, rest = divmod(free + int(base[:lifted].sum()), zeros + lifted)
    return level, rest > 0
