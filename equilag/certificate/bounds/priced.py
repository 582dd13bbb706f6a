"""Bounds by prices: the dual of a linear program shows that no plan has all loads in a window.

If every member carries a floor and no more than a cap, then the sum over members of

    least × (carried − floor) + most × (cap − carried)

is not below 0, whatever the prices `least` and `most`, as long as they are not negative. A
partition adds to it at most what it is worth to the best of its takers; a price of a `place`
moves worth between a member's partitions and the number of them. What a partition weighs beyond a
floor adds nothing there, and nobody takes one beyond a cap. Where all that together is below 0,
there is no such plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.domain.columns import Flags, Ints, rows_together
from equilag.domain.group.member_capacities import EXACT, Load

MAX_PAIRS: Final = 50_000_000
"""Pairs of a partition and a sort of members that are looked at, about a second; prices of more
prove nothing."""
PAIRS_AT_ONCE: Final = 1_000_000


class Prices(NamedTuple):
    """Whole numbers, each [M]."""

    least: Ints
    """Of what a member is short of its floor, 0 or more."""
    most: Ints
    """Of what it has beyond its cap, 0 or more."""
    place: Ints
    """Of a place for a partition."""


class LoadWindow(NamedTuple):
    """What members must carry and may carry, in lag, each [M]."""

    floor: Ints
    cap: Ints

    @staticmethod
    def of(counting: Counting, above: Load | None, below: Load | None) -> LoadWindow:
        """Of loads above `above` and below `below`; None for no limit."""
        capacities, kind = counting.capacities, counting.kind
        total = int(counting.group.lag.sum())
        floor = cap = np.zeros(len(capacities.whole), np.int64)
        if above is not None and above >= 0:
            floor = capacities.weights_upto(above) + 1
        cap = cap + total if below is None else capacities.weights_from(below) - 1
        limits = np.minimum(floor, total + 1), np.minimum(cap, total)
        return LoadWindow(*(limit.astype(np.int64)[kind] for limit in limits))


def priced_room(counting: Counting, window: LoadWindow, prices: Prices) -> int:
    """What the sum over members is at most; below 0 no plan has all loads in the window. 0 for too
    large groups. O(pairs of a partition and a sort of members)."""
    active = np.flatnonzero(counting.active)
    if not len(active):
        return 0
    columns = [counting.base, *window, *prices]
    base, floor, cap, least, most, place = _fitting(counting, columns)
    margin = np.maximum(place * counting.lo, place * counting.hi)
    margin = margin + least * (base - floor) + most * (cap - base)
    value = int(margin[active].sum())
    order, new = rows_together([counting.group.class_of[active], *(c[active] for c in columns)])
    one = active[order[new]]
    if len(one) * len(counting.lag) > MAX_PAIRS:
        return 0
    for may_take, lag in _by_bucket(counting):
        takers = one[may_take[counting.group.class_of[one]]]
        rows = PAIRS_AT_ONCE // (len(takers) + 1) + 1
        for start in range(0, len(lag), rows):
            weight = lag[start : start + rows, None].astype(base.dtype)
            fits = weight + base[takers] <= cap[takers]
            if not fits.any(axis=1).all():
                return -1
            worth = least[takers] * np.minimum(weight, floor[takers]) - most[takers] * weight
            worth = worth - place[takers]
            value += int(np.where(fits, worth, worth.min()).max(axis=1).sum())
    return value


def _fitting(counting: Counting, columns: list[Ints]) -> list[Ints]:
    """The columns, as integers of any size where 63 bits might not do for a sum over all."""
    total = int(counting.lag.sum()) + len(columns[0]) * max(int(c.max()) for c in columns[:3])
    price = max(int(np.abs(column).max()) for column in columns[3:])
    small = 8 * price * (total + len(counting.lag) + int(counting.hi.sum())) < EXACT
    return [column.astype(np.int64 if small else object) for column in columns]


def _by_bucket(counting: Counting) -> Iterator[tuple[Flags, Ints]]:
    """Of each bucket the member classes [K] that may take from it, and the lags."""
    bucket_of, member_class = counting.arcs
    order = np.argsort(bucket_of, kind="stable")
    first = np.searchsorted(bucket_of[order], np.arange(counting.n_buckets + 1))
    end = np.cumsum(counting.size)
    for bucket in np.flatnonzero(counting.size).tolist():
        may_take = np.zeros(len(counting.group.class_topics), np.bool_)
        may_take[member_class[order[first[bucket] : first[bucket + 1]]]] = True
        yield may_take, counting.lag[end[bucket] - counting.size[bucket] : end[bucket]]
