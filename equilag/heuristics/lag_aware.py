"""Lag-aware (KIP-169, as in kafka-lag-based-assignor): each topic by itself, counts before lag.

A partition goes to the subscriber with the fewest partitions of its topic, then with the least
lag of its topic, then by id. So a topic with k subscribers is dealt in rounds: its partitions by
descending lag, k at a time, and each round to the subscribers in ascending order of the lag that
they had before it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.heuristics.dealing import partition_class_members

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
