"""Whether a chain of moves makes counts more even, or takes a member into its room."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal, TypeAlias

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.group.extended_columns import NO_LIMIT
from equilag.domain.group.group import Group
from equilag.domain.move_reasons.unit_moves import UnitMoves
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction

PathNeed: TypeAlias = Literal["room", "counts"]


class CountOrder:
    """The counts of members while paths are carried out one after the other.

    A path makes counts more even if it lowers the sum of squared counts per capacity, that of
    instances first (`constraint/marginal_costs`); where topics count one by one, of its topic.
    """

    def __init__(self, reduction: Reduction, policy: Policy, rows: UnitMoves) -> None:
        group, real = reduction.group, reduction.group.real
        n_members = group.n_members
        self._counts: list[int] = rows.counts.tolist()
        self._capacity = [1] * n_members if real is None else real.capacity.tolist()
        self._room = [NO_LIMIT] * n_members if real is None else real.room.tolist()
        instance = None if real is None else real.instance_of
        self._instance = [*range(n_members)] if instance is None else instance.tolist()
        n_instances = 1 + max(self._instance, default=-1)
        self._sums, self._sizes = [0] * n_instances, [0] * n_instances
        for member, place in enumerate(self._instance):
            self._sums[place] += self._counts[member]
            self._sizes[place] += self._capacity[member]
        self._totals = policy.balance in ("total", "both")
        self._in_topic = _topic_counts(group, rows) if policy.counts_topics else None

    def need(self, source: int, target: int, topic: int) -> PathNeed | None:
        """What a path from one member to another is needed for; None if neither room nor counts
        need it."""
        if self._counts[source] > self._room[source]:
            return "room"
        if self._in_topic is not None:
            here = self._in_topic
            if here[topic, source] - here[topic, target] > 1:
                return "counts"
        return "counts" if self._totals and self._evens_totals(source, target) else None

    def _evens_totals(self, source: int, target: int) -> bool:
        a, b = self._instance[source], self._instance[target]
        if a != b:
            gain = _gain(self._sums[a], self._sizes[a], self._sums[b], self._sizes[b])
            if gain:
                return gain > 0
        counts, capacity = self._counts, self._capacity
        return _gain(counts[source], capacity[source], counts[target], capacity[target]) > 0

    def carry_out(self, source: int, target: int, topic: int) -> None:
        """Take a partition from one member, and give it to another."""
        for member, step in ((source, -1), (target, 1)):
            self._counts[member] += step
            self._sums[self._instance[member]] += step
            if self._in_topic is not None:
                self._in_topic[topic, member] += step


def _topic_counts(group: Group, rows: UnitMoves) -> dict[tuple[int, int], int]:
    """(topic, member) -> partitions, before the moves; of the topics and members that move any."""
    topic = group.topic_of[rows.unit].tolist()
    found: dict[tuple[int, int], int] = defaultdict(int)
    held = np.flatnonzero(rows.assigned != NOBODY)
    keys, numbers = np.unique(
        group.topic_of[held] * np.int64(group.n_members) + rows.assigned[held], return_counts=True
    )
    for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
        found[divmod(key, group.n_members)] = number
    for t, source, target in zip(topic, rows.source.tolist(), rows.target.tolist(), strict=True):
        found[t, source] += 1
        found[t, target] -= 1
    return found


def _gain(giving: int, its_size: int, getting: int, other_size: int) -> int:
    """Above 0 if one less and one more lower the sum of squares per size, 0 if they keep it."""
    return (2 * giving - 1) * other_size - (2 * getting + 1) * its_size
