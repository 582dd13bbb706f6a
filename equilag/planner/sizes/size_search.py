"""Which sizes to look at: for the least one within a limit, and for the loads of all."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, final

from equilag.domain.budget import Budget
from equilag.domain.columns import ROUNDING
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.planner.sizes.size_curve import MAX_COUNTED, PROBE_EFFORT, SizeCurve, used_up
from equilag.planner.sizes.sizing import LeastSize

EFFORTS: Final = (PROBE_EFFORT, 0.2)
"""Seconds' worth of work for a size, the second where the first left open what matters."""


@final
class SizeGoal:
    """A limit that the loads of a curve are to be within, and the least size where they are."""

    def __init__(
        self, curve: SizeCurve, limit: float, sizes: tuple[int, int], budget: Budget
    ) -> None:
        """`sizes` are the first and the last one to look at for the least."""
        self._curve, self._limit = curve, limit * (1 + ROUNDING)
        self.least = self._least(*sizes, budget)

    def _least(self, first: int, last: int, budget: Budget) -> LeastSize:
        """The least size whose heaviest load under the best plan is within the limit, as close as
        the budget allows.

        A short look at sizes in steps of 1, 2, 4, … from the first one that the bounds leave open
        leads to one within the limit. From there on, halves lead to the least where loads fall with
        the size; else one size after the other. Members that are alike are dealt partitions when
        nothing is left.
        """
        start = size = self._first_open(first, last)
        found, step, end, climbs = None, 1, last + 1, True
        while start < end and (self._curve.loads is not None or not used_up(budget)):
            self.settle(size, budget, EFFORTS[:1] if climbs else EFFORTS)
            met = self.met(size)
            if met:
                found = end = size
            elif not climbs or (size == start and met is False):
                start = size + 1
            climbs = climbs and found is None and size < last
            if climbs:
                size, step = min(size + step, last), 2 * step
            else:
                size = (start + end) // 2 if self._curve.falls else start
        return LeastSize(self._first_open(first, last), found)

    def _first_open(self, first: int, last: int) -> int:
        """The first size that is not proved to be beyond the limit, or the one after the last."""
        sizes = range(first, last + 1)
        if self._curve.falls:
            return first + bisect_left(sizes, True, key=lambda k: not self._is_beyond(k))
        return next((k for k in sizes if not self._is_beyond(k)), last + 1)

    def _is_beyond(self, size: int) -> bool:
        return self._curve.beyond(size, self._limit)

    def met(self, size: int) -> bool | None:
        """Whether a size meets the goal; None where that is open."""
        if self._curve.within(size, self._limit):
            return True
        return False if self._is_beyond(size) else None

    def settle(self, size: int, budget: Budget, efforts: tuple[float, ...] = EFFORTS) -> None:
        """Look for a plan of the size, and for a better one where it is open whether it meets the
        goal, as far as the budget allows."""
        self._curve.deal(size)
        for effort in efforts:
            if self.met(size) is not None or used_up(budget):
                return
            self._curve.try_size(size, budget, effort)


def walk(curve: SizeCurve, here: int, first: int, last: int, budget: Budget) -> None:
    """Look at the sizes of a range: one of them in any case, the ends, then by halves, until the
    budget is used up or all is known. Of more than `MAX_COUNTED` sizes, those between two of about
    the same load are left as they are."""
    if not curve.tried(here):
        curve.try_size(here, budget)
    allowance = 0.0 if last - first < MAX_COUNTED else NEGLIGIBLE
    order = ((first, first, last), (last, first, last), *by_halves(first, last))
    if last - first < MAX_COUNTED:
        for size, low, high in order:
            if not _level(curve, low, high, 0.0):
                curve.deal(size)
    for size, low, high in order:
        if used_up(budget):
            return
        between = low < size < high
        if between and curve.falls and _level(curve, low, high, allowance):
            continue
        if not curve.tried(size):
            curve.try_size(size, budget)


def use_up(curve: SizeCurve, sizes: Sequence[int], budget: Budget) -> None:
    """Spend what is left on the sizes whose load is not proved, an equal share each."""
    left = [size for size in sizes if not curve.proved(size)]
    for place, size in enumerate(left):
        if used_up(budget):
            return
        if not curve.proved(size):
            with budget.portion(1 / (len(left) - place)) as part:
                curve.try_size(size, part, None)


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
