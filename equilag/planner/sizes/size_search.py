"""Which sizes to look at: for the least one within a limit, and for the loads of all."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.planner.sizes.size_curve import PROBE_EFFORT, SizeCurve, used_up

MAX_CLOSE: Final = 600
"""Sizes up to which each is looked at. Of more sizes, those between two of about the same load are
left as they are."""
ABOUT: Final = 0.001
"""Part of a load by which two loads may differ without anybody noticing."""
SECOND_EFFORT: Final = 0.2
"""Seconds' worth of work for a size of which the first search left something open that matters."""


class LeastSize(NamedTuple):
    """The least size whose heaviest load is within a limit."""

    at_least: int
    """No smaller size is; where none is, the size after the largest one that was looked at."""
    at_most: int | None
    """A plan of this size is; None where none was found."""

    @property
    def proved(self) -> bool:
        return self.at_least == self.at_most


def least_size(curve: SizeCurve, limit: float, first: int, last: int, budget: Budget) -> LeastSize:
    """The least size from `first` to `last` whose heaviest load under the best plan is at most
    `limit`, as close as the budget allows."""
    if curve.falls:
        return _least_falling(curve, limit, first, last, budget)
    for size in range(first, last + 1):
        if curve.beyond(size, limit):
            continue
        if used_up(budget):
            return LeastSize(_first_open(curve, limit, first, last), _reached(curve, limit, last))
        settle(curve, size, limit, budget)
        known = curve.at(size)
        if known is not None and known.load <= limit:
            return LeastSize(_first_open(curve, limit, first, last), size)
    return LeastSize(_first_open(curve, limit, first, last), None)


def _least_falling(
    curve: SizeCurve, limit: float, first: int, last: int, budget: Budget
) -> LeastSize:
    """Steps of 1, 2, 4, … from the first size that the bounds leave open, then by halves."""
    start = size = _first_open(curve, limit, first, last)
    step = 1
    while size <= last and not used_up(budget):
        settle(curve, size, limit, budget)
        if curve.within(size, limit):
            break
        start, size = size + 1, min(size + step, last) if size < last else last + 1
        step *= 2
    found = size if size <= last and curve.within(size, limit) else None
    while found is not None and start < found and not used_up(budget):
        middle = (start + found) // 2
        settle(curve, middle, limit, budget)
        if curve.within(middle, limit):
            found = middle
        else:
            start = middle + 1
    return LeastSize(_first_open(curve, limit, first, last), found)


def _first_open(curve: SizeCurve, limit: float, first: int, last: int) -> int:
    """The first size that is not proved to be beyond the limit, or the one after the last."""
    if not curve.falls:
        return next((k for k in range(first, last + 1) if not curve.beyond(k, limit)), last + 1)
    low, high = first - 1, last + 1
    while high - low > 1:
        middle = (low + high) // 2
        if curve.beyond(middle, limit):
            low = middle
        else:
            high = middle
    return high


def _reached(curve: SizeCurve, limit: float, last: int) -> int | None:
    return next((k for k in range(1, last + 1) if curve.within(k, limit)), None)


def settle(curve: SizeCurve, size: int, limit: float, budget: Budget) -> None:
    """Look for a plan of the size, and for a better one where it is open whether it is within the
    limit."""
    for effort in (PROBE_EFFORT, SECOND_EFFORT):
        if curve.within(size, limit) or curve.beyond(size, limit) or used_up(budget):
            return
        curve.try_size(size, budget, effort)


def walk(curve: SizeCurve, here: int, first: int, last: int, budget: Budget) -> None:
    """Look at the sizes of a range: one of them in any case, the ends, then by halves, until the
    budget is used up or all is known."""
    if not curve.tried(here):
        curve.try_size(here, budget)
    for size in (first, last):
        _try(curve, size, budget)
    few = last - first < MAX_CLOSE
    for size, low, high in by_halves(first, last):
        if used_up(budget):
            return
        if curve.falls and _level(curve, low, high, 0.0 if few else ABOUT):
            continue
        _try(curve, size, budget)


def use_up(curve: SizeCurve, sizes: Sequence[int], budget: Budget) -> None:
    """Spend what is left on the sizes whose load is not proved, an equal share each."""
    left = [size for size in sizes if not curve.proved(size)]
    for place, size in enumerate(left):
        if used_up(budget):
            return
        if not curve.proved(size):
            with budget.portion(1 / (len(left) - place)) as part:
                curve.try_size(size, part, None)


def _try(curve: SizeCurve, size: int, budget: Budget) -> None:
    if not curve.tried(size) and not used_up(budget):
        curve.try_size(size, budget)


def _level(curve: SizeCurve, low: int, high: int, allowance: float) -> bool:
    """True if loads between two sizes are known well enough from theirs."""
    known = curve.at(low)
    return known is not None and known.load <= curve.at_least(high) * (1 + allowance)


def by_halves(first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """The sizes between two others, the middle ones first: the size, one below and one above."""
    ranges = deque([(first, last)])
    while ranges:
        low, high = ranges.popleft()
        if high - low > 1:
            middle = (low + high) // 2
            yield middle, low, high
            ranges += [(low, middle), (middle, high)]


MAX_NOTABLE: Final = 12
"""Sizes that help, at most, beside those at which something changes: a table for one look."""


def notable_sizes(
    rows: Sequence[int], helping: Sequence[int], present: int, least: Iterable[LeastSize | None]
) -> list[int]:
    """Of the sizes with a row, ascending: the present one, those around the least ones that keep
    up or catch up, and those that help; of many of these some, in about equal ratios."""
    wanted = {present, *rows[:1], *helping[-1:], *_thinned(helping)}
    for found in least:
        if found is not None:
            wanted |= {found.at_least - 1, found.at_least}
            wanted |= set() if found.at_most is None else {found.at_most - 1, found.at_most}
    return [size for size in rows if size in wanted]


def _thinned(sizes: Sequence[int]) -> list[int]:
    """At most `MAX_NOTABLE` of the sizes, the first and the last among them."""
    if len(sizes) <= MAX_NOTABLE:
        return [*sizes]
    places = np.geomspace(sizes[0], sizes[-1], MAX_NOTABLE)
    return [min(sizes, key=lambda size: abs(size - place)) for place in places.tolist()]
