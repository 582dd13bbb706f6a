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
from equilag.domain.group.member_capacities import Load, MemberCapacities

MAX_WORK: Final = 10_000_000
"""Array elements up to which bounds are computed; a limit on time, counted and so repeatable."""


def spread_bounds(group: Group, constraint: CountConstraint, most: int) -> list[Load]:
    """[most + 1] for each number of moves, what the spread is at least; zeros if too large.

    Zeros as well where a move may count as several.
    """
    active = np.flatnonzero(~group.idle)
    forced = group.extended.forced_moves
    free = max(0, most - forced)
    size = len(active) * (free + 1) * max(1, group.n_partitions)
    if len(active) < 2 or size > MAX_WORK or group.extended.has_stakes:
        return [0] * (most + 1)
    capacities = group.extended.capacities
    kinds = capacities.kind_of[active].tolist()
    by_lag = np.argsort(group.lag, kind="stable")
    light = [-_losing(group, constraint, by_lag, member, free) for member in active.tolist()]
    heavy = [_gaining(group, constraint, by_lag, member, free) for member in active.tolist()]
    highest, lowest = (_level(lags, kinds, capacities, free) for lags in (light, heavy))
    apart: list[Load] = [max(0, one + two) for one, two in zip(highest, lowest, strict=True)]
    return [apart[0]] * min(forced, most + 1) + apart[: max(0, most + 1 - forced)]


def _losing(
    group: Group, constraint: CountConstraint, by_lag: Ints, member: int, most: int
) -> Ints:
    """[moves] the least load of a member that may lose so many of its own; partitions `by_lag`."""
    least_held, most_held = constraint.counts_of(member)
    mine = group.owner[by_lag] == member
    own = group.lag[by_lag[mine]]
    kept = np.concatenate(([0], np.cumsum(own)))
    stay = len(own) - np.arange(min(most, len(own)) + 1)
    gained = np.maximum(int(least_held) - stay, 0)
    if gained.any():
        other = by_lag[~mine & group.assignable[by_lag]][: int(gained.max())]
        added = np.concatenate(([0], np.cumsum(group.lag[other])))
        kept = kept[stay] + added[np.minimum(gained, len(other))]
    else:
        kept = kept[stay]
    curve = np.full(most + 1, np.iinfo(np.int64).max // 4, dtype=np.int64)
    curve[: len(stay)] = np.where(stay > most_held, curve[0], kept)
    return np.minimum.accumulate(curve)


def _gaining(
    group: Group, constraint: CountConstraint, by_lag: Ints, member: int, most: int
) -> Ints:
    """[moves] the greatest load of a member that may gain so many owned by others."""
    reads = by_lag[group.may_hold(by_lag, member)][::-1]
    mine = (group.owner[reads] == member) | (group.owner[reads] == NOBODY)
    room = int(constraint.counts_of(member).most)
    pool, paid = (group.lag[reads[which]][:room] for which in (mine, ~mine))
    free, bought = (np.concatenate(([0], np.cumsum(lags))) for lags in (pool, paid))
    gained = np.arange(min(most, room, len(paid)) + 1)
    curve = np.zeros(most + 1, dtype=np.int64)
    curve[: len(gained)] = bought[gained] + free[np.minimum(room - gained, len(pool))]
    return np.maximum.accumulate(curve)


def _level(
    curves: list[Ints], kinds: list[int], capacities: MemberCapacities, most: int
) -> list[Load]:
    """[moves] how low the highest of some falling curves comes if they share so many steps; given
    are the lags below 0, which rise, and the capacity of each curve's member."""
    place = [0] * len(curves)
    heap = [(capacities.load(int(curve[0]), kinds[i]), i) for i, curve in enumerate(curves)]
    heapq.heapify(heap)
    level: list[Load] = []
    used = 0
    while True:
        value, i = heap[0]
        curve, here = curves[i], place[i]
        lower = int(np.searchsorted(curve, curve[here], side="right"))
        end = min(most + 1, used + lower - here)
        level += [-value] * (end - len(level))
        if end == most + 1:
            return level
        used += lower - here
        place[i] = lower
        heapq.heapreplace(heap, (capacities.load(int(curve[lower]), kinds[i]), i))
