"""Fewest and most partitions of each topic per member, place by place.

The members of a place are alike: those of one class, or each by itself where partitions are pinned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from equilag.domain.columns import Flags, Index, Ints, place_of
from equilag.domain.constraint.network import Costs, NegativeCycles, Network, NotMinimal
from equilag.domain.constraint.topic_counts import (
    CountInterval,
    OpenRow,
    TopicCounts,
    members_of_pairs,
)
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group

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

    def without(self, held: TopicCounts) -> TopicIntervals:
        """The intervals of what comes on top of the counts, of which the members of a place have
        the same."""
        topic, member, count = held.cells()
        level = self.level.copy()
        level[topic, self.place[member]] -= count
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

    def first_outside(self, held: TopicCounts) -> tuple[int, int] | None:
        """The first topic, and its first member, whose count is outside its interval; or None.

        `held` are the counts of a valid assignment.
        """
        topic, member, count = held.cells()
        least, most = self.at(topic, member)
        wrong, enough = count > most, count >= least
        found = list(zip(topic[wrong][:1].tolist(), member[wrong][:1].tolist(), strict=True))
        key = topic[enough] * len(self.size) + self.place[member[enough]]
        full = np.bincount(key, minlength=self.level.size).reshape(self.level.shape)
        short = np.flatnonzero(((self.level > 0) & (full < self.size)).any(axis=1))[:1]
        for t in short.tolist():
            lacking = held.at(t, np.arange(len(self.place))) < self.level[t, self.place]
            found.append((t, int(lacking.argmax())))
        return min(found, default=None)

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
    base = TopicCounts.of(group, np.where(pinned, group.owner, NOBODY).astype(np.int32))
    topic, member, count = base.cells()
    edges = np.searchsorted(topic, np.arange(len(size) + 1))
    for t in np.unique(topic).tolist():
        held = count[edges[t] : edges[t + 1]]
        free, zeros = int(size[t] - held.sum()), int(group.readers[t]) - len(held)
        level[t], extra[t] = _water_level(np.sort(held), zeros, free)
    every, reads, above = np.arange(group.n_members), reads[:, place], count > level[topic]
    levels, is_open = level[:, None] * reads, reads & extra[:, None]
    cells = topic[above], member[above]
    levels[cells], is_open[cells] = count[above], False
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


def within_totals(
    topics: TopicIntervals, held: TopicCounts, totals: Ints
) -> tuple[TopicIntervals, CountInterval]:
    """The intervals, and those of the totals, if the remainders make totals as even as they can.

    `held` are the counts of an assignment within the intervals that does so, `totals` [M] their
    sums by member. Raises NotMinimal where the totals can be evened out. Partitions pass only
    between members and topics with the same largest count of a member from which they can come. A
    pair of others is full, or has none beyond the fewest.
    """
    place = topics.place
    topic, member, count = held.cells()
    above = count > topics.at(topic, member).least
    (n_topics, n_places), (tail, head) = topics.open.shape, topics.pairs
    cell = place_of(
        topic[above] * n_places + place[member[above]], tail * n_places + head, n_topics * n_places
    )
    sink, nothing, first = n_topics + n_places, np.zeros_like(tail), len(tail)
    taken = np.bincount(cell, minlength=first)
    network = Network.of(
        sink + 1,
        (tail, n_topics + head, 0, topics.size[head]),
        (n_topics + place, sink, *topics.by_member),
    )
    costs = Costs(np.concatenate((nothing, totals + 1)), np.concatenate((nothing, totals)))
    try:
        height = network.heights(np.concatenate((taken, totals)), costs)
    except NegativeCycles as error:
        cycle = error.cycles[0]
        heavy, light = next(~a for a in cycle if ~a >= first), next(a for a in cycle if a >= first)
        raise NotMinimal(heavy - first, light - first) from None
    of_topic, of_place = -height[:n_topics], -height[n_topics:sink]
    np.maximum.at(of_place, place, totals)
    fixed = of_topic[tail] != of_place[head]
    level, is_open = topics.level.copy(), topics.open.copy()
    level[tail[fixed], head[fixed]] += taken[fixed] > 0
    is_open[tail[fixed], head[fixed]] = False
    topics = replace(topics, level=level, open=is_open)
    free, most = topics.n_open > 0, of_place[place]
    least = np.maximum(most - 1, topics.by_member.least)
    return topics, CountInterval(np.where(free, least, totals), np.where(free, most, totals))
