"""Marginal costs of counts by capacity: the k-th partition of a member costs (2k − 1) / capacity.

Their sum over a member's partitions is count² / capacity. A marginal cost is kept as a float, which
is exact for all that is asked of it: two different quotients p / q and p' / q' of integers differ
by 1 / (q · q') at least, and are rounded by less than that while p · q' stays below 2^51. Equal
quotients are rounded to the same float. Counts stay below 2^24 (10 million partitions), capacities
below 2^20, so that this holds for all members, and for instances of up to 100 of the largest.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.columns import Floats, Ints

FREE: Final = -np.inf
"""The marginal cost below all others: of a partition that is not there."""
FULL: Final = np.inf
"""That above all others: of a partition for which there is no room."""


def marginal_cost(nth: Ints, capacity: Ints) -> Floats:
    """The cost of a member's nth partition."""
    cost: Floats = (2 * nth - 1) / capacity
    return cost


def cost_of_last(counts: Ints, base: Ints, capacity: Ints) -> Floats:
    """What members save with one partition fewer; FREE if they have only their `base`."""
    return np.where(counts > base, marginal_cost(counts, capacity), FREE)


def cost_of_next(counts: Ints, room: Ints, capacity: Ints) -> Floats:
    """What members pay for one partition more; FULL if they have no room."""
    return np.where(counts < room, marginal_cost(counts + 1, capacity), FULL)


def count_upto(level: Floats, capacity: Ints) -> Ints:
    """How many partitions cost no more than `level`, which is finite."""
    count = np.maximum((level * capacity + 1) / 2, 0).astype(np.int64)
    # The product is rounded, and may be off by one.
    count += marginal_cost(count + 1, capacity) <= level
    count -= (count > 0) & (marginal_cost(count, capacity) > level)
    return count


def ranks(*costs: Floats) -> Ints:
    """The rank of each cost: equal for equal ones, ascending; by the first column, then the next.

    The columns are of one length.
    """
    order = np.lexsort(costs[::-1])
    larger = np.zeros(len(order), dtype=np.bool_)
    for column in costs:
        ascending = column[order]
        larger[1:] |= ascending[1:] != ascending[:-1]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(larger)
    return rank


def least_levels(
    units: Ints, capacity: Ints, base: Ints, room: Ints, width: Ints, place: Ints
) -> Floats:
    """[places] the least marginal cost up to which the members of each place take its units.

    `units` [places] come on top of `base`. Each entry of the other columns stands for `width`
    members of the place `place`, which take nothing beyond their `room`. There must be room for
    all units. FREE for places without units. By bisection, O(entries × 64).
    """
    n_places = len(units)

    def taken(level: Floats) -> Ints:
        count = np.clip(count_upto(level[place], capacity), base, room)
        got = np.bincount(place, weights=width * (count - base), minlength=n_places)
        return got.astype(np.int64)

    def following(level: Floats) -> Floats:
        """The least marginal cost above `level` of a partition that there is room for."""
        count = np.maximum(count_upto(level[place], capacity), base)
        step = cost_of_next(count, room, capacity)
        least = np.full(n_places, FULL)
        np.minimum.at(least, place, step)
        return least

    low, high = np.full(n_places, -1.0), np.zeros(n_places)
    last = np.minimum(room, base + units[place])
    np.maximum.at(high, place, marginal_cost(np.maximum(last, 1), capacity))
    # As if nobody had a base or a limit.
    all_of = np.bincount(place, weights=width * capacity, minlength=n_places)
    even = 2 * (units + np.bincount(place, weights=width * base, minlength=n_places)) / all_of
    widest = np.zeros(n_places)
    np.maximum.at(widest, place, 2 / capacity)
    for guess in (even + widest, even - widest):
        guess = np.clip(guess, low, high)
        enough = taken(guess) >= units
        low, high = np.where(enough, low, guess), np.where(enough, guess, high)
    level = np.where(units > 0, FULL, FREE)
    while np.isinf(level[units > 0]).any():
        candidate = np.minimum(following(low), high)
        enough = taken(candidate) >= units
        level = np.where(np.isinf(level) & (units > 0) & enough, candidate, level)
        low = np.where(enough, low, candidate)
        middle = (low + high) / 2
        enough = taken(middle) >= units
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return level
