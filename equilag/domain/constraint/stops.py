"""What the flows of an assignment network pass: parts, stops, places and instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Index, Ints, rows_together
from equilag.domain.constraint.count_constraint import CountConstraint
from equilag.domain.constraint.topic_intervals import InstanceSums
from equilag.domain.group.group import Group


class TopicParts(NamedTuple):
    """S parts, by topic."""

    of_partition: Ints | Index
    """[P]"""
    partition_class: Ints | Index
    """[S]"""
    topic: Ints
    """[S]"""


def topic_parts(group: Group) -> TopicParts:
    """O(P log P); O(T) where the partitions of a topic are all of one class."""
    if group.partition_classes is None:
        return TopicParts(group.topic_of, group.topic_class, np.arange(len(group.topics)))
    n_classes = max(1, len(group.eligible))
    key, of = np.unique(
        group.topic_of * np.int64(n_classes) + group.partition_class, return_inverse=True
    )
    return TopicParts(of.ravel(), key % n_classes, key // n_classes)


class Places(NamedTuple):
    """D places, by class: the members of one class, instance, capacity, interval of counts and
    number of pinned partitions."""

    of: Ints
    """[M]"""
    one: Ints
    """[D] a member of each place."""
    size: Ints
    """[D] members."""

    @staticmethod
    def of_members(constraint: CountConstraint, sums: InstanceSums | None) -> Places:
        group = constraint.group
        capacity = group.extended.capacity
        columns: list[Ints | Index] = [*constraint.counts_of(), constraint.fixed, capacity]
        if sums is not None:
            columns.append(sums.of)
        order, new = rows_together([*columns, group.class_of])
        place = np.empty_like(order)
        place[order] = np.cumsum(new) - 1
        return Places(place, order[new], np.bincount(place, minlength=int(new.sum())))

    @staticmethod
    def of_topics(constraint: CountConstraint) -> Places:
        """Where topics count one by one: as they do so, if they do already; each member by itself
        where partitions are pinned."""
        every = np.arange(constraint.group.n_members)
        if constraint.per_topic:
            topics = constraint.topics
            first = np.zeros(len(topics.size), np.int64)
            first[topics.place[::-1]] = every[::-1]
            return Places(topics.place, first, topics.size)
        if constraint.has_pinned:
            return Places(every, every, np.ones_like(every))
        return Places.of_members(constraint, None)


class Stops(NamedTuple):
    """Where partitions come from, and what they pass on the way to places."""

    parts: TopicParts
    part: Ints
    """Part and stop of each pair where partitions may go, ascending."""
    stop: Ints
    topic: Ints
    """[stops] 0 for classes of members."""
    where: Ints
    """[stops] the place of a cell; of other stops the member class."""
    supply: Ints
    """[S] free partitions of each part."""

    @staticmethod
    def classes(constraint: CountConstraint) -> Stops:
        """From partition classes to member classes."""
        part, stop = constraint.arcs
        supply = constraint.supply
        some = np.flatnonzero(supply[part])
        every, stops = (np.arange(size) for size in constraint.face.shape)
        parts = TopicParts(constraint.group.partition_class, every, 0 * every)
        return Stops(parts, part[some], stop[some], 0 * stops, stops, supply)

    @staticmethod
    def cells(constraint: CountConstraint, places: Places) -> Stops:
        """From parts of topics to cells, which are by topic and then by place."""
        group, n_places = constraint.group, len(places.one)
        parts = topic_parts(group)
        supply = np.bincount(parts.of_partition[constraint.free], minlength=len(parts.topic))
        takers = constraint.face[parts.partition_class][:, group.class_of[places.one]]
        part, place = np.nonzero(takers & (supply > 0)[:, None])
        cell, stop = np.unique(parts.topic[part] * n_places + place, return_inverse=True)
        topic, where = np.divmod(cell, max(1, n_places))
        return Stops(parts, part, stop.ravel(), topic, where, supply)


def sums_of(constraint: CountConstraint) -> InstanceSums | None:
    """The sums of instances, also where members' intervals say as much."""
    if constraint.instance_sums is not None:
        return constraint.instance_sums
    instance_of = constraint.group.extended.instance_of
    if instance_of is None:
        return None
    of = instance_of.astype(np.int64)
    nothing = np.zeros(int(of.max(initial=-1)) + 1, np.int64)
    empty = InstanceSums(of, nothing, nothing)
    least, most = constraint.counts_of()
    return InstanceSums(of, empty.total(least), empty.total(most))
