"""Assignors that ignore owners: round robin, fair (KIP-49) and lag-aware (KIP-169).

Lag-aware, as in kafka-lag-based-assignor, takes each topic by itself, counts before lag. A
partition goes to the subscriber with the fewest partitions of its topic, then with the least lag of
its topic, then by id. So a topic with k subscribers is dealt in rounds: its partitions by
descending lag, k at a time, and each round to the subscribers in ascending order of the lag that
they had before it.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final

import numpy as np

from equilag.domain.columns import ranges
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.heuristics.dealing import dealing_order, fill_evenly, partition_class_members


class FairAssignor:
    """KIP-49's greedy: scarce topics first, each partition to the member with the fewest so far. It
    does not always reach the most even totals.

    A partition looks at the totals of its own subscribers only, so one pass over all topics gives
    what a pass over each connected component would.
    """

    name = "fair"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        readers = partition_class_members(group)
        total = np.zeros(group.n_members, dtype=np.int64)
        # Scarce topics first, then large ones, then by name.
        order = np.lexsort((-group.topic_size, group.readers))
        order = order[group.readers[order] > 0]
        # Those of one class in a row are dealt as one run: nothing changes between them.
        for number, some in groupby(order.tolist(), group.topic_class.__getitem__):
            topics = list(some)
            run = ranges(group.topic_start[topics], group.topic_start[1:][topics])
            members = readers[number]
            room = fill_evenly(total[members], len(run))
            assigned[run] = members[dealing_order(total[members], room)]
            total[members] += room
        return assigned


class RoundRobinAssignor:
    """Each partition to the next member on the ring that subscribes, after the last one served."""

    name = "round-robin"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        ring = group.static_order
        # Places on the ring, ascending, of the members that may take each partition class.
        places = [np.flatnonzero(row[group.class_of[ring]]) for row in group.eligible]
        ahead = 0  # the place on the ring from which the next reader is looked for
        for topic, size in enumerate(group.topic_size.tolist()):
            readers = places[group.topic_class[topic]]
            if size == 0 or len(readers) == 0:
                continue
            first = int(np.searchsorted(readers, ahead))
            served = readers[(first + np.arange(size)) % len(readers)]
            start = group.topic_start[topic]
            assigned[start : start + size] = ring[served]
            ahead = int(served[-1]) + 1
        return assigned


_ARRAY_ROUND: Final = 64
"""Topics x subscribers from which on a round is faster as an array than as a Python loop."""


class LagAwareAssignor:
    """KIP-169's greedy. It ignores owners, and it does not reach the most even lag."""

    name = "lag-aware"

    def assign(self, group: Group) -> Index:
        assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
        # Stable, so that equal lags stay in order of their numbers. A topic's partitions fill its
        # own stretch of `queue`.
        queue = np.lexsort((-group.lag, group.topic_of))
        topics_by_class = np.argsort(group.topic_class, kind="stable")
        for number, members in enumerate(partition_class_members(group)):
            topics = topics_by_class[group.topic_class[topics_by_class] == number]
            topics = topics[group.topic_size[topics] > 0]
            if len(members) and len(topics):
                _deal_topics(group, queue, topics, members, assigned)
        return assigned


def _deal_topics(group: Group, queue: Ints, topics: Ints, members: Index, assigned: Index) -> None:
    """Deal topics that have the same k subscribers, all of them round by round."""
    k = len(members)
    topics = topics[np.argsort(-group.topic_size[topics], kind="stable")]
    start, size = group.topic_start[topics], group.topic_size[topics]
    slot = np.arange(min(k, int(size[0])))
    # Only topics that go into a second round need to know who got how much.
    load = np.zeros((int(np.count_nonzero(size > k)), k), dtype=np.int64)

    dealt = 0
    active = len(topics)  # the topics that have partitions left are the first ones
    while active and (dealt == 0 or active * k >= _ARRAY_ROUND):
        place = start[:active, None] + dealt + slot
        filled = dealt + slot < size[:active, None]
        partition = queue[np.where(filled, place, 0)]
        if dealt == 0:
            taker = np.broadcast_to(slot, filled.shape)
        else:
            taker = np.argsort(load[:active], axis=1, kind="stable")
        assigned[partition[filled]] = members[taker[filled]]
        more = int(np.count_nonzero(size > dealt + k))
        row = np.arange(more)[:, None]
        load[row, taker[:more]] += group.lag[partition[:more]]
        dealt += k
        active = more

    for t in range(active):
        rest = queue[start[t] + dealt : start[t] + size[t]]
        assigned[rest] = members[_rounds(group.lag[rest].tolist(), load[t].tolist())]


def _rounds(lags: list[int], load: list[int]) -> list[int]:
    """Positions of the takers of partitions with these lags, for subscribers with these loads."""
    k = len(load)
    taken: list[int] = []
    for dealt in range(0, len(lags), k):
        order = sorted(range(k), key=load.__getitem__)
        for position, lag in zip(order, lags[dealt : dealt + k], strict=False):
            load[position] += lag
        taken += order
    return taken[: len(lags)]
