"""Counts topic by topic: the intervals of an even split, and the blocks of the remainders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilag.domain.columns import place_of
from equilag.domain.constraint.network import Costs, NegativeCycles, Network, NotMinimal
from equilag.domain.constraint.topic_counts import Cells, CountInterval, TopicCounts
from equilag.domain.constraint.topic_intervals import TopicIntervals
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Flags, Group, Ints


def topic_intervals(group: Group, pinned: Flags) -> TopicIntervals:
    """Fewest and most partitions of each topic per member.

    Floor and ceiling of an even split over the subscribers. Where some partitions are pinned
    (`pinned` [P]), the free ones go to the subscribers with the fewest, see `_water_level`. Raises
    InputError where the partitions of a topic are of different classes: then floor and ceiling need
    not be possible.
    """
    if group.partition_classes is not None:
        raise InputError("topics are not counted one by one where partitions differ", "balance")
    if group.extended is not None and group.extended.shapes_counts:
        problem = "topics are not counted one by one where members differ in capacity or room"
        raise InputError(problem, "balance")
    size = np.where(group.readers > 0, group.topic_size, 0)
    level, rest = np.divmod(size, np.maximum(1, group.readers))
    extra, nothing = rest > 0, np.zeros(0, np.int64)
    cells = Cells(nothing, nothing, nothing)
    if pinned.any():
        base = TopicCounts.of(group, np.where(pinned, group.owner, NOBODY).astype(np.int32))
        topic, member, count = base.cells()
        edges = np.searchsorted(topic, np.arange(len(size) + 1))
        for t in np.unique(topic).tolist():
            held = count[edges[t] : edges[t + 1]]
            free = int(size[t] - held.sum())
            zeros = int(group.readers[t]) - len(held)
            level[t], extra[t] = _water_level(np.sort(held), zeros, free)
        above = count > level[topic]
        cells = Cells(topic[above], member[above], count[above])
    place = group.class_of.astype(np.int64)
    return TopicIntervals(group, level, place, group.reads & extra[:, None], cells)


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
    intervals: TopicIntervals, held: TopicCounts, totals: Ints
) -> tuple[TopicIntervals, CountInterval]:
    """The intervals, and those of the totals, if the remainders make totals as even as they can.

    `held` are the counts of an assignment within `intervals` that does so, `totals` [M] their sums
    by member. Raises NotMinimal where the totals can be evened out. Partitions pass only inside a
    block: between members and topics with the same largest count of a member from which they can
    come. Where nothing is pinned, the members of a class are alike, else each is a place.
    """
    intervals = intervals.by_places
    group, place = intervals.group, intervals.place
    topic, member, count = held.cells()
    above = count > intervals.least_of_subscribers(topic, member)
    (n_topics, n_places), (tail, head) = intervals.open.shape, intervals.pairs
    cell = place_of(
        topic[above] * n_places + place[member[above]], tail * n_places + head, n_topics * n_places
    )
    sink, nothing, first = n_topics + n_places, np.zeros_like(tail), len(tail)
    taken = np.bincount(cell, minlength=first)
    network = Network(
        np.concatenate((tail, n_topics + place)),
        np.concatenate((n_topics + head, np.full(group.n_members, sink))),
        np.concatenate((nothing, intervals.by_member.least)),
        np.concatenate((intervals.size[head], intervals.by_member.most)),
        sink + 1,
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
    fixed = above & (of_topic[topic] != of_place[place[member]])
    found = Cells(topic[fixed], member[fixed], count[fixed])
    columns = [np.concatenate(both) for both in zip(intervals.cells, found, strict=True)]
    order = np.lexsort((columns[1], columns[0]))
    is_open = intervals.open & (of_topic[:, None] == of_place)
    topics = replace(intervals, open=is_open, cells=Cells(*(column[order] for column in columns)))
    free, most = topics.n_open > 0, of_place[place]
    least = np.maximum(most - 1, topics.by_member.least)
    return topics, CountInterval(np.where(free, least, totals), np.where(free, most, totals))
