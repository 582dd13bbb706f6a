"""Counts topic by topic: the intervals of an even split, and the blocks of the remainders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilag.domain.columns import place_of
from equilag.domain.constraint.network import Costs, NegativeCycles, Network, NotMinimal
from equilag.domain.constraint.topic_counts import Cells, Levels, TopicCounts
from equilag.domain.constraint.topic_intervals import TopicIntervals
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Flags, Group, Ints


def topic_intervals(group: Group, pinned: Flags) -> TopicIntervals:
    """Fewest and most partitions of each topic per member.

    Floor and ceiling of an even split over the subscribers. Where some partitions are pinned
    (`pinned` [P]), the free ones go to the subscribers with the fewest, see `water_fill`. Raises
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
    nothing = np.zeros(0, np.int64)
    if not pinned.any():
        return TopicIntervals(group, level, rest > 0, Cells(nothing, nothing, nothing))
    base = TopicCounts.of(group, np.where(pinned, group.owner, NOBODY).astype(np.int32))
    topic, member, count = base.cells()
    edges = np.searchsorted(topic, np.arange(len(size) + 1))
    extra = rest > 0
    for t in np.unique(topic).tolist():
        held = count[edges[t] : edges[t + 1]]
        free = int(size[t] - held.sum())
        level[t], extra[t] = _water_level(np.sort(held), int(group.readers[t]) - len(held), free)
    above = count > level[topic]
    cells = Cells(topic[above], member[above], count[above])
    return TopicIntervals(group, level, extra, cells)


def _water_level(base: Ints, zeros: int, free: int) -> tuple[int, bool]:
    """The level of `water_fill`, and whether a part of the counts at it get one more, for counts
    `base`, ascending and above 0, and so many zeros beside them."""
    if free <= 0:
        return 0, False
    below = np.cumsum(base)
    room = base * (zeros + np.arange(len(base))) - (below - base)
    lifted = int(np.searchsorted(room, free, side="right"))
    level, rest = divmod(free + int(base[:lifted].sum()), zeros + lifted)
    return level, rest > 0


def water_fill(base: Ints, free: int) -> tuple[Ints, Ints]:
    """[n] fewest and most of each count if `free` units are added to `base` [n] as evenly as
    possible; O(n log n)."""
    if free <= 0 or not len(base):
        return base.copy(), base.copy()
    order = np.sort(base)
    # room[i]: units needed to lift the i + 1 smallest counts to order[i]
    room = order * np.arange(1, len(order) + 1) - np.cumsum(order)
    lifted = int(np.searchsorted(room, free, side="right"))
    level, extra = divmod(free + int(order[:lifted].sum()), lifted)
    lo = np.maximum(base, level)
    hi = np.maximum(base, level + 1) if extra else lo.copy()
    return lo, np.where(base > level, base, hi)


def remainder_levels(intervals: TopicIntervals, held: TopicCounts, totals: Ints) -> Levels:
    """Blocks of the members [M] and the topics [T] by the topics' remainders.

    `held` are the counts of an assignment within `intervals`, `totals` [M] their sums by member.
    Raises NotMinimal where the totals can be evened out. Where nothing is pinned, the members of a
    class are alike, else each is a node: O((topics × nodes) × steps).
    """
    group, n_topics = intervals.group, len(intervals.level)
    topic, member, count = held.cells()
    above = count > intervals.least_of_subscribers(topic, member)
    slot, size = intervals.slots.of, intervals.slots.size
    pairs = intervals.open_pairs.topic, intervals.open_pairs.slot
    if len(intervals.cells.topic):
        slot, size = np.arange(group.n_members), np.ones(group.n_members, np.int64)
        pairs = intervals.open_cells()
    order = np.lexsort(pairs[::-1])
    tail, head = (column[order] for column in pairs)
    key = topic[above] * len(size) + slot[member[above]]
    place = place_of(key, tail * len(size) + head, n_topics * len(size))
    taken = np.bincount(place, minlength=len(tail))
    sink, nothing = n_topics + len(size), np.zeros_like(tail)
    network = Network(
        np.concatenate((tail, n_topics + slot)),
        np.concatenate((n_topics + head, np.full(group.n_members, sink))),
        np.concatenate((nothing, intervals.by_member.least)),
        np.concatenate((size[head], intervals.by_member.most)),
        sink + 1,
    )
    costs = Costs(np.concatenate((nothing, totals + 1)), np.concatenate((nothing, totals)))
    try:
        height = network.heights(np.concatenate((taken, totals)), costs)
    except NegativeCycles as error:
        first, cycle = len(tail), error.cycles[0]
        heavy, light = next(~a for a in cycle if ~a >= first), next(a for a in cycle if a >= first)
        raise NotMinimal(heavy - first, light - first) from None
    return Levels(np.maximum(totals, -height[n_topics + slot]), -height[:n_topics])


def inside_blocks(intervals: TopicIntervals, levels: Levels, held: TopicCounts) -> TopicIntervals:
    """The intervals with topic and member of different blocks fixed at what is held there."""
    topic, member, count = held.cells()
    fixed = levels.node[topic] != levels.member[member]
    fixed &= count > intervals.least_of_subscribers(topic, member)
    found = Cells(topic[fixed], member[fixed], count[fixed])
    cells = [np.concatenate(both) for both in zip(intervals.cells, found, strict=True)]
    order = np.lexsort((cells[1], cells[0]))
    return replace(intervals, cells=Cells(*(column[order] for column in cells)), blocks=levels)
