"""Fewest and most partitions of each topic per member, without a table of topics and members.

All subscribers of a topic have one level, and those of some places may have one partition more.
What differs from that is a short list of cells: what is pinned, and what the totals fix. Where
totals come first, each place has a level of its own, and there are no cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from equilag.domain.columns import Flags, Index, Ints, distinct
from equilag.domain.constraint.topic_counts import (
    Cells,
    CountInterval,
    OpenRow,
    TopicCounts,
    members_of_pairs,
)
from equilag.domain.group.group import Group

Numbers: TypeAlias = int | Ints | Index


@dataclass(frozen=True, eq=False)
class TopicIntervals:
    """The intervals of all topics; shapes as in `Group`. O(subscriptions + cells) memory."""

    group: Group
    level: Ints
    """[T] fewest partitions of the topic at each subscriber; or [T, places], 0 for others."""
    place: Ints
    """[M] members of one place are alike but for `cells`: those of a class, or each by itself."""
    open: Flags
    """[T, places] True if the members of the place may have one more."""
    cells: Cells

    @cached_property
    def by_members(self) -> TopicIntervals:
        """The same with each member as a place, so that what is open is all in `pairs`: O(topics ×
        members)."""
        is_open = self.open[:, self.place]
        is_open[self.cells.topic, self.cells.member] = False
        return replace(self, place=np.arange(self.group.n_members), open=is_open)

    @property
    def by_places(self) -> TopicIntervals:
        """The same where all members of a place are alike: by members where cells differ."""
        return self.by_members if len(self.cells.topic) else self

    @property
    def by_place(self) -> bool:
        """True if each place has a level of its own."""
        return self.level.ndim == 2

    # Single cells

    def at(self, topics: Numbers, members: Numbers) -> CountInterval:
        """The intervals of topic and member, broadcast together."""
        least = self.least_of_subscribers(topics, members)
        most = self.most_of_subscribers(topics, members)
        reads = self.group.reads[topics, self.group.class_of[members]]
        return CountInterval(np.where(reads, least, 0), np.where(reads, most, 0))

    def least_of_subscribers(self, topics: Numbers, members: Numbers) -> Ints:
        """The fewest where the members subscribe to the topics; broadcast together."""
        return self._with_cells(topics, members, self._level(topics, members), self.cells.fixed)

    def most_of_subscribers(self, topics: Numbers, members: Numbers) -> Ints:
        """The most where the members subscribe to the topics; broadcast together."""
        by_level = self._most_by_level(topics, members)
        return self._with_cells(topics, members, by_level, self.cells.fixed)

    def _most_by_level(self, topics: Numbers, members: Numbers) -> Ints:
        most: Ints = self._level(topics, members) + self.open[topics, self.place[members]]
        return most

    def _level(self, topics: Numbers, members: Numbers) -> Ints:
        level: Ints = self.level[(topics, self.place[members]) if self.by_place else topics]
        return level

    def _with_cells(self, topics: Numbers, members: Numbers, value: Ints, special: Ints) -> Ints:
        if not len(special):
            return value
        wanted = np.asarray(topics, np.int64) * self.group.n_members + members
        place = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
        return np.where(self._key[place] == wanted, special[place], value)

    @cached_property
    def _key(self) -> Ints:
        return self.cells.topic * self.group.n_members + self.cells.member

    # Sums

    @cached_property
    def by_member(self) -> CountInterval:
        """[M] the sums over all topics."""
        group = self.group
        if self.by_place:
            least = self.level.sum(axis=0)[self.place]
        else:
            topic, member_class = group.subscriptions
            each = np.zeros(len(group.class_topics), np.int64)
            np.add.at(each, member_class, self.level[topic])
            least = each[group.class_of]
        most = least + self._open_of_place[self.place]
        cells, (lower, upper) = self.cells, self._shift
        np.add.at(least, cells.member, lower)
        np.add.at(most, cells.member, upper)
        return CountInterval(least, most)

    @cached_property
    def n_open(self) -> Ints:
        """[M] topics of which the member may have one more than the fewest."""
        more = self._open_of_place[self.place]
        lower, upper = self._shift
        np.add.at(more, self.cells.member, upper - lower)
        return more

    def by_topic(self, members: Flags) -> CountInterval:
        """[T] the sums over some members [M]. O(subscriptions + cells)."""
        group, n_topics = self.group, len(self.level)
        topic, member_class = group.subscriptions
        size = np.bincount(group.class_of[members], minlength=len(group.class_topics))
        readers = np.zeros(n_topics, np.int64)
        np.add.at(readers, topic, size[member_class])
        inside = np.bincount(self.place[members], minlength=len(self.size))
        least: Ints = self.level @ inside if self.by_place else readers * self.level
        most = least.copy()
        pair_topic, pair_place = self.pairs
        np.add.at(most, pair_topic, inside[pair_place])
        counts = members[self.cells.member]
        lower, upper = self._shift
        np.add.at(least, self.cells.topic[counts], lower[counts])
        np.add.at(most, self.cells.topic[counts], upper[counts])
        return CountInterval(least, most)

    @cached_property
    def remainder(self) -> Ints:
        """[T] partitions of each topic beyond the fewest of all its subscribers."""
        group = self.group
        size = np.where(group.readers > 0, group.topic_size, 0)
        rest: Ints = size - self.by_topic(np.ones(group.n_members, np.bool_)).least
        return rest

    @cached_property
    def _shift(self) -> tuple[Ints, Ints]:
        """[cells] by how much each differs from the level's interval: its fewest, its most."""
        topic, member, fixed = self.cells
        return fixed - self._level(topic, member), fixed - self._most_by_level(topic, member)

    def first_outside(self, held: TopicCounts) -> tuple[int, int] | None:
        """The first topic, and its first member, whose count is outside its interval; or None.

        `held` are the counts of a valid assignment. O(cells of it + subscriptions).
        """
        topic, member, count = held.cells()
        wrong = count > self.most_of_subscribers(topic, member)
        found = list(zip(topic[wrong][:1].tolist(), member[wrong][:1].tolist(), strict=True))
        cells = self.cells
        short = held.at(cells.topic, cells.member) < cells.fixed
        found += zip(cells.topic[short][:1].tolist(), cells.member[short][:1].tolist(), strict=True)
        enough = count >= self._level(topic, member)
        if self.by_place:
            full = np.zeros(self.level.shape, np.int64)
            np.add.at(full, (topic[enough], self.place[member[enough]]), 1)
            for t, place in np.argwhere((self.level > 0) & (full < self.size))[:1].tolist():
                alike = np.flatnonzero(self.place == place)
                found.append((t, int(alike[held.at(t, alike) < self.level[t, place]][0])))
            return min(found, default=None)
        number = np.bincount(topic[enough], minlength=len(self.level))
        short_topics = np.flatnonzero((self.level > 0) & (number < self.group.readers))[:1]
        for t in short_topics.tolist():
            who = self.group.subscribers(t)
            found.append((t, int(who[held.at(t, who) < self.level[t]][0])))
        return min(found, default=None)

    # What is open

    @cached_property
    def size(self) -> Ints:
        """[places] members."""
        return np.bincount(self.place, minlength=self.open.shape[1])

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Topic and place of every pair that is open, by topic and then by place."""
        topic, place = np.nonzero(self.open)
        return topic, place

    @cached_property
    def _open_of_place(self) -> Ints:
        """[places] topics that are open."""
        return np.bincount(self.pairs[1], minlength=len(self.size))

    @cached_property
    def open_row(self) -> OpenRow:
        """The members of all open pairs by topic, those that are `barred` included."""
        topic, place = self.pairs
        size, first = self.size[place], np.cumsum(self.size) - self.size
        end, edges = size.cumsum(), np.zeros(len(self.level) + 1, np.int64)
        np.add.at(edges, topic + 1, size)
        by_place = self.place.argsort(kind="stable")
        return OpenRow(edges.cumsum(), end, first[place] - end + size, by_place)

    @cached_property
    def barred(self) -> tuple[Ints, Ints]:
        """Topic and member of the cells of open pairs that may not have one more."""
        topic, member = self.cells.topic, self.cells.member
        closed = self._most_by_level(topic, member) > self.level[topic]
        return topic[closed], member[closed]

    @cached_property
    def least_cells(self) -> tuple[Ints, Ints, Ints]:
        """Topic, member and fewest partitions of every cell where that is not 0. No more cells than
        partitions."""
        topic, member_class = self.group.subscriptions
        some = self.level[topic] > 0
        size = self.group.class_size
        topic, member = members_of_pairs(topic[some], member_class[some], self.group.class_of, size)
        if not len(self._key):
            return topic, member, self.level[topic]
        own = self.cells.fixed > 0
        topic = np.concatenate((topic, self.cells.topic[own]))
        member = np.concatenate((member, self.cells.member[own]))
        key = distinct(topic * self.group.n_members + member)
        topic, member = key // max(1, self.group.n_members), key % max(1, self.group.n_members)
        return topic, member, self.least_of_subscribers(topic, member)
