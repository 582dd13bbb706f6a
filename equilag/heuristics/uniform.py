"""Uniform: what Kafka's brokers use for groups of KIP-848 by default.

As `UniformAssignor` of Kafka 4.1 to 4.4 (4.0 gives the first members the larger quota, whatever
they own). It starts from what members hold, and ignores lags, racks and instance ids. Kafka takes
members and topics in the order of its hash maps and of random topic ids, which no snapshot has;
here members come by id, topics by name and partitions by number. In that order the results are
those of Kafka's classes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.metrics import member_counts
from equilag.heuristics.dealing import dealing_order, fill_evenly, rank_within

MAX_ROUNDS: Final = 16
"""Rounds over all topics in which mixed subscriptions are balanced, as in Kafka."""


class UniformAssignor:
    """Even counts first, then owners keep what they have.

    Equal subscriptions: O(partitions + members). Mixed ones: O(rounds × sum over topics of
    subscribers × log + partitions), and their counts may stay uneven after the last round.
    """

    name = "uniform"

    def assign(self, group: Group) -> Index:
        if not group.assignable.any():
            return np.full(group.n_partitions, NOBODY, dtype=np.int32)
        return _by_quota(group) if group.one_subscription else _topic_by_topic(group)


def _by_quota(group: Group) -> Index:
    """[P] for equal subscriptions: all keep up to their quota, what is left fills the others.

    The quota is floor(P / M) and one more for P mod M members: those that own more than floor, by
    id; where they are too few, also the last members.
    """
    m = group.n_members
    floor, rest = divmod(int(np.count_nonzero(group.assignable)), m)
    owned = np.flatnonzero(group.owner != NOBODY)
    owned = owned[np.argsort(group.owner[owned], kind="stable")]
    owner = group.owner[owned]
    number = member_counts(group.owner, m)

    above = number > floor
    earlier: Ints = np.cumsum(above) - above
    extra = (above & (earlier < rest)) | (m - np.arange(m) <= rest - earlier)
    quota = floor + extra

    assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
    stays = rank_within(owner, m) < quota[owner]
    assigned[owned[stays]] = owner[stays]
    free = np.flatnonzero(group.assignable & (group.owner == NOBODY))
    room = quota - np.minimum(number, quota)
    takers = np.repeat(np.arange(m, dtype=np.int32), room)
    assigned[np.append(free, owned[~stays])] = takers
    return assigned


def _topic_by_topic(group: Group) -> Index:
    """[P] for mixed subscriptions: the free partitions to the least loaded, then moves.

    Topics with many partitions per subscriber come first, then those with few subscribers.
    """
    assigned = group.owner.copy()
    total = member_counts(assigned, group.n_members)
    topics = np.flatnonzero(group.readers)
    readers = group.readers[topics]
    order = np.lexsort((topics, readers, -group.topic_size[topics] / readers))
    ranges = []
    for topic in topics[order].tolist():
        first, end = group.topic_start[topic], group.topic_start[topic + 1]
        holder, subscribers = assigned[first:end], group.subscribers(topic)
        _deal_free(holder, subscribers, total)
        ranges.append((holder, subscribers))

    # Until a whole round has changed nothing.
    last = None
    for _ in range(MAX_ROUNDS):
        for at, (holder, subscribers) in enumerate(ranges):
            if at == last:
                return assigned
            if _even_out(holder, subscribers, total) or last is None:
                last = at
    return assigned


def _deal_free(holder: Index, subscribers: Index, total: Ints) -> None:
    """Give one topic's free partitions to the least loaded; `holder` [n] and `total` change.

    Among equals first who had fewest at the start, then by id.
    """
    free = np.flatnonzero(holder == NOBODY)
    if not len(free):
        return
    ascending = subscribers[np.argsort(total[subscribers], kind="stable")]
    room = fill_evenly(total[ascending], len(free))
    holder[free] = ascending[dealing_order(total[ascending], room)]
    total[ascending] += room


def _even_out(holder: Index, subscribers: Index, total: Ints) -> bool:
    """Move one topic's partitions from the most to the least loaded while they differ by 2.

    Updates `holder` [n] and `total` [M]; each giver gives its last partitions first. False if
    nothing moved.
    """
    loads = total[subscribers]
    if loads.max() - loads.min() <= 1:
        return False
    ascending = subscribers[np.argsort(loads, kind="stable")].tolist()
    load = total[ascending].tolist()
    held: dict[int, list[int]] = defaultdict(list)
    for partition, member in enumerate(holder.tolist()):
        held[member].append(partition)
    moved = False
    for (high, giver), (low, taker) in zip(
        _givers(ascending, load, held), _takers(ascending, load), strict=False
    ):
        if high - low <= 1:
            break
        holder[held[giver].pop()] = taker
        total[giver] -= 1
        total[taker] += 1
        moved = True
    return moved


def _takers(ascending: list[int], load: list[int]) -> Iterator[tuple[int, int]]:
    """Yield (level, member) without end: all members at or below the level, and then the next."""
    end = 0
    for level in count(load[0]):
        while end < len(load) and load[end] == level:
            end += 1
        for member in ascending[:end]:
            yield level, member


def _givers(
    ascending: list[int], load: list[int], held: dict[int, list[int]]
) -> Iterator[tuple[int, int]]:
    """Yield (level, member) for members that hold partitions, from the highest level down.

    Each has given down to the level before it comes up again. A member with nothing left drops
    out, and the last of the row takes its place: this decides who is next, as in Kafka.
    """
    row: list[int] = []
    start, level = len(load), load[-1] + 1
    while row or start:
        level = level - 1 if row else load[start - 1]
        end = start
        while start and load[start - 1] == level:
            start -= 1
        row = ascending[start:end] + row
        for at in reversed(range(len(row))):
            if held.get(row[at]):
                yield level, row[at]
            else:
                row[at] = row[-1]
                row.pop()
