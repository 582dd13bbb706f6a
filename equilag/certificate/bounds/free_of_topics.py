"""What counting rests on: sums of lightest and heaviest lags, free partitions of each topic."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.constraint import CountConstraint, CountInterval, TopicCounts
from equilag.domain.group.group import Flags, Ints


def lightest_of(lags: Ints, number: int) -> int:
    if number <= 0:
        return 0
    if number >= len(lags):
        return int(lags.sum())
    return int(np.partition(lags, number - 1)[:number].sum())


def heaviest_of(lags: Ints, number: int) -> int:
    if number <= 0:
        return 0
    if number >= len(lags):
        return int(lags.sum())
    return int(np.partition(lags, len(lags) - number)[len(lags) - number :].sum())


def sums_of_lightest(lags: Ints, most: int) -> Ints:
    """Sums of the lightest 0, 1, ... lags; of `most` of them, if there are so many. O(lags)."""
    if 0 < most < len(lags):
        lags = np.partition(lags, most - 1)
    return np.concatenate(([0], np.cumsum(np.sort(lags[: max(0, most)]))))


class FreeOfTopics:
    """Fewest and most free partitions of topics: what is pinned does not count."""

    def __init__(self, constraint: CountConstraint) -> None:
        """Of a constraint that counts topics one by one."""
        self.group = constraint.group
        self.topics = constraint.topics
        self.pinned = TopicCounts.of(self.group, constraint.pinned_assignment)
        self.has_pinned = constraint.has_pinned

    def together(self, members: Flags) -> CountInterval:
        """[T] of each topic for the members [M] together. O(subscriptions + cells)."""
        found = self.topics.by_topic(members)
        if not self.has_pinned:
            return found
        topic, member, count = self.pinned.cells()
        held = np.zeros(len(found.least), np.int64)
        np.add.at(held, topic, count * members[member])
        return CountInterval(found.least - held, found.most - held)

    def most_at(self, topic: int, members: Ints) -> Ints:
        """[members] most of one topic for each of the members."""
        most: Ints = self.topics.at(topic, members).most - self.pinned.at(topic, members)
        return most

    def fewest_of_any(self, members: Ints) -> Ints:
        """[T] the fewest of each topic that any of the members has to take."""
        group, topics, n_topics = self.group, self.topics, len(self.group.topics)
        chosen = np.zeros(group.n_members, np.bool_)
        chosen[members] = True
        special = [np.stack(cells[:2]) for cells in (topics.cells, self.pinned.cells())]
        topic, member = np.unique(np.concatenate(special, axis=1), axis=1)
        topic, member = topic[chosen[member]], member[chosen[member]]
        reading, member_class = group.subscriptions
        size = np.bincount(group.class_of[members], minlength=len(group.class_topics))
        readers = np.zeros(n_topics, np.int64)
        np.add.at(readers, reading, size[member_class])
        others = readers > np.bincount(topic, minlength=n_topics)
        level = topics.level
        if topics.by_place:
            level = level[:, distinct(topics.place[members])].min(axis=1)
        fewest = np.where(others, level, np.iinfo(np.int64).max)
        least = topics.least_of_subscribers(topic, member) - self.pinned.at(topic, member)
        np.minimum.at(fewest, topic, least)
        fewest[readers < len(members)] = 0
        return fewest
