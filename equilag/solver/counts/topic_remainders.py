"""Who takes the remainders of topics that count one by one: in turn, or so that totals are even."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import among
from equilag.domain.constraint import TopicIntervals, ranges
from equilag.domain.group.group import Ints
from equilag.solver.counts.even_flow import Network, even_flow

Units = tuple[Ints, Ints]
"""Topic and member of single partitions."""


def deal_in_turn(intervals: TopicIntervals, number: Ints, shut: Units | None = None) -> Units:
    """One partition each to `number` [T] members that may have one more, going on where the topic
    before stopped, so that the first members are not given all.

    `shut` are topics and members that get none; the others have to be enough. O(units + shut).
    """
    if not number.any():
        return number[:0], number[:0]
    row, n_members = intervals.open_row, intervals.group.n_members
    width = row.edges[1:] - row.edges[:-1]
    barred = intervals.barred
    if shut is not None:
        barred = np.concatenate((barred[0], shut[0])), np.concatenate((barred[1], shut[1]))
    span = number
    if len(barred[0]):
        span = number + np.bincount(barred[0], minlength=len(number)) * (number > 0)
        span = np.minimum(span, width)
    topic = np.arange(len(number)).repeat(span)
    place = np.arange(len(topic)) - (span.cumsum() - span)[topic]
    turn = (number.cumsum() - number)[topic] + place
    member = row.members_at(row.edges[topic] + turn % width[topic])
    if not len(barred[0]):
        return topic, member
    there = ~among(topic * n_members + member, np.sort(barred[0] * n_members + barred[1]))
    topic, member = topic[there], member[there]
    rank = np.arange(len(topic)) - topic.searchsorted(topic)
    enough = rank < number[topic]
    return topic[enough], member[enough]


def even_totals(intervals: TopicIntervals, number: Ints) -> Units:
    """One partition each of `number` [T] to different subscribers, with the most even totals.

    Nothing may be pinned. Then members of one class are alike, and so are topics with the same
    subscribers and number: the flow runs between those. O(units + subscriptions), and the flow.
    """
    group, slots = intervals.group, intervals.slots
    some = np.flatnonzero(number)
    most = int(number.max(initial=0)) + 1
    key = group.topic_class[some].astype(np.int64) * most + number[some]
    kinds, kind_of, alike = np.unique(key, return_inverse=True, return_counts=True)
    kind_of = kind_of.ravel()
    classes, member_classes = group.arcs
    start = np.searchsorted(classes, np.arange(len(group.eligible) + 1))
    begin, end = start[kinds // most], start[kinds // most + 1]
    tail = np.repeat(np.arange(len(kinds)), end - begin)
    head = member_classes[ranges(begin, end)]
    first = np.zeros(len(group.class_topics), np.int64)
    first[group.class_of] = np.arange(group.n_members)
    net = Network(
        alike * (kinds % most), intervals.by_member.least[first], slots.size, tail, head,
        alike[tail] * slots.size[head],
    )  # fmt: skip
    units = even_flow(net)
    # The units of a kind, class by class, go to its topics in turn: no topic gives a class more
    # than the class has members.
    unit_kind, unit_class = np.repeat(tail, units), np.repeat(head, units)
    of_kind = np.argsort(kind_of, kind="stable")
    edge = np.cumsum(alike) - alike
    rank = np.arange(len(unit_kind)) - np.searchsorted(unit_kind, unit_kind)
    topic = some[of_kind[edge[unit_kind] + rank % alike[unit_kind]]]
    # The units of a class, topic by topic, go to its members in turn.
    order = np.lexsort((topic, unit_class))
    topic, unit_class = topic[order], unit_class[order]
    rank = np.arange(len(topic)) - np.searchsorted(unit_class, unit_class)
    by_class = np.argsort(group.class_of, kind="stable")
    place = (np.cumsum(slots.size) - slots.size)[unit_class] + rank % slots.size[unit_class]
    return topic, by_class[place]


def even_cells(intervals: TopicIntervals, number: Ints) -> Units:
    """The same where partitions are pinned, so that every member is different.

    One flow on all topics and members that may have one more: O(topics × members) arcs.
    """
    topic, member = intervals.open_cells()
    least = intervals.by_member.least
    ones = np.ones(len(topic), np.int64)
    taken = even_flow(Network(number, least, np.ones_like(least), topic, member, ones))
    return np.repeat(topic, taken), np.repeat(member, taken)
