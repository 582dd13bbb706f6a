"""Bounds on the lag spread that follow from a limit on moves alone.

The load of a member falls only if it loses partitions, and rises only if it gains partitions that
were free or another member's. The moves that all members need to pass a level add up; if the sum
exceeds the limit, the level cannot be reached. O(members × moves × partitions).
"""

from __future__ import annotations

import heapq
from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group, Ints
from equilag.domain.plan.metrics import is_plain

MAX_WORK: Final = 10_000_000
"""Array elements up to which bounds are computed; a limit on time, counted and so repeatable."""


def spread_bounds(group: Group, constraint: CountConstraint, most: int) -> Ints:
    """[most + 1] for each number of moves, what the spread is at least; zeros if too large.

    Zeros as well where loads are compared per unit of capacity, or a move may count as several.
    """
    active = np.flatnonzero(~group.idle)
    size = len(active) * (most + 1) * max(1, group.n_partitions)
    if len(active) < 2 or size > MAX_WORK or not is_plain(group):
        return np.zeros(most + 1, dtype=np.int64)
    down = [_losing(group, constraint, m, most) for m in active.tolist()]
    up = [_gaining(group, constraint, m, most) for m in active.tolist()]
    highest = _level(down, most)
    lowest = -_level([-curve for curve in up], most)
    apart: Ints = np.maximum(highest - lowest, 0)
    return apart


def _losing(group: Group, constraint: CountConstraint, member: int, most: int) -> Ints:
    """[moves] the least load of a member that may lose so many of its own."""
    least_held, most_held = constraint.counts_of(member)
    own = np.sort(group.lag[group.owner == member])
    other = np.sort(group.lag[group.assignable & (group.owner != member)])
    kept = np.concatenate(([0], np.cumsum(own)))
    added = np.concatenate(([0], np.cumsum(other)))
    curve = np.full(most + 1, np.iinfo(np.int64).max // 4, dtype=np.int64)
    for lost in range(min(most, len(own)) + 1):
        stay = len(own) - lost
        if stay > most_held:
            continue
        gained = min(max(0, int(least_held) - stay), len(other))
        curve[lost] = kept[stay] + added[gained]
    return np.minimum.accumulate(curve)


def _gaining(group: Group, constraint: CountConstraint, member: int, most: int) -> Ints:
    """[moves] the greatest load of a member that may gain so many owned by others."""
    reads = group.may_hold(np.arange(group.n_partitions), member)
    mine = reads & ((group.owner == member) | (group.owner == NOBODY))
    pool = group.lag[mine]
    paid = np.sort(group.lag[reads & ~mine])[::-1]
    room = int(constraint.counts_of(member).most)
    curve = np.zeros(most + 1, dtype=np.int64)
    for gained in range(most + 1):
        choice = np.sort(np.concatenate((pool, paid[:gained])))[::-1]
        curve[gained] = choice[:room].sum()
    return curve


def _level(curves: list[Ints], most: int) -> Ints:
    """[moves] how low the highest of some falling curves comes if they share so many steps."""
    place = [0] * len(curves)
    heap = [(-int(curve[0]), i) for i, curve in enumerate(curves)]
    heapq.heapify(heap)
    level = np.full(most + 1, -heap[0][0], dtype=np.int64)
    used = 0
    while True:
        value, i = heap[0]
        lower = np.flatnonzero(curves[i] < -value)
        level[used:] = -value
        if not len(lower):
            return level
        step = int(lower[0]) - place[i]
        if used + step > most:
            return level
        used, place[i] = used + step, int(lower[0])
        heapq.heapreplace(heap, (-int(curves[i][place[i]]), i))
