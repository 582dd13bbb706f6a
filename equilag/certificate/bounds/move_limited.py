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
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.metrics import capacities_of, has_stakes

MAX_WORK: Final = 10_000_000
"""Array elements up to which bounds are computed; a limit on time, counted and so repeatable."""


def spread_bounds(group: Group, constraint: CountConstraint, most: int) -> list[Load]:
    """[most + 1] for each number of moves, what the spread is at least; zeros if too large.

    Zeros as well where a move may count as several.
    """
    active = np.flatnonzero(~group.idle)
    forced = 0 if group.extended is None else group.extended.forced_moves
    free = max(0, most - forced)
    size = len(active) * (free + 1) * max(1, group.n_partitions)
    if len(active) < 2 or size > MAX_WORK or has_stakes(group):
        return [0] * (most + 1)
    capacities = capacities_of(group)
    down: list[list[Load]] = []
    up: list[list[Load]] = []
    for member in active.tolist():
        kind = int(capacities.kind_of[member])
        light = _losing(group, constraint, member, free).tolist()
        heavy = _gaining(group, constraint, member, free).tolist()
        down.append([capacities.load(lag, kind) for lag in light])
        up.append([-capacities.load(lag, kind) for lag in heavy])
    highest, lowest = _level(down, free), _level(up, free)
    apart: list[Load] = [max(0, one + two) for one, two in zip(highest, lowest, strict=True)]
    return [apart[0]] * min(forced, most + 1) + apart[: max(0, most + 1 - forced)]


def _losing(group: Group, constraint: CountConstraint, member: int, most: int) -> Ints:
    """[moves] the least load of a member that may lose so many of its own."""
    least_held, most_held = constraint.counts_of(member)
    own = np.sort(group.lag[group.owner == member])
    other = np.sort(group.lag[group.assignable & (group.owner != member)])
    kept = np.concatenate(([0], np.cumsum(own)))
    added = np.concatenate(([0], np.cumsum(other)))
    stay = len(own) - np.arange(min(most, len(own)) + 1)
    gained = np.clip(int(least_held) - stay, 0, len(other))
    curve = np.full(most + 1, np.iinfo(np.int64).max // 4, dtype=np.int64)
    curve[: len(stay)] = np.where(stay > most_held, curve[0], kept[stay] + added[gained])
    return np.minimum.accumulate(curve)


def _gaining(group: Group, constraint: CountConstraint, member: int, most: int) -> Ints:
    """[moves] the greatest load of a member that may gain so many owned by others."""
    reads = group.may_hold(np.arange(group.n_partitions), member)
    mine = reads & ((group.owner == member) | (group.owner == NOBODY))
    room = int(constraint.counts_of(member).most)
    pool, paid = (np.sort(group.lag[which])[::-1] for which in (mine, reads & ~mine))
    free, bought = (np.concatenate(([0], np.cumsum(lags))) for lags in (pool, paid))
    gained = np.arange(min(most, room, len(paid)) + 1)
    curve = np.zeros(most + 1, dtype=np.int64)
    curve[: len(gained)] = bought[gained] + free[np.minimum(room - gained, len(pool))]
    return np.maximum.accumulate(curve)


def _level(curves: list[list[Load]], most: int) -> list[Load]:
    """[moves] how low the highest of some falling curves comes if they share so many steps."""
    place = [0] * len(curves)
    heap = [(-curve[0], i) for i, curve in enumerate(curves)]
    heapq.heapify(heap)
    level: list[Load] = []
    while True:
        value, i = heap[0]
        curve, here = curves[i], place[i]
        lower = next((k for k in range(here + 1, most + 1) if curve[k] < -value), None)
        used = sum(place)
        end = most + 1 if lower is None else min(most + 1, used + lower - here)
        level += [-value] * (end - len(level))
        if lower is None or end == most + 1:
            return level
        place[i] = lower
        heapq.heapreplace(heap, (-curve[lower], i))
