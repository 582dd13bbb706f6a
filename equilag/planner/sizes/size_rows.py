"""The rows of `size`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import Budget
from equilag.planner.sizes.size_curve import SizeCurve
from equilag.planner.sizes.size_search import LeastSize, least_size, settle
from equilag.planner.sizes.sizing import SizeRow

SLACK: Final = 1e-9
"""Relative error of a load in floating point, by which it may pass a limit."""


def size_rows(curve: SizeCurve, first: int, last: int, tolerance: float) -> list[SizeRow]:
    """The rows of the sizes of which a plan is known, ascending.

    `tolerance` is the part of a load, in percent, by which a size must lower it to help.
    """
    rows: list[SizeRow] = []
    reached: float | None = None
    for size, known in enumerate(curve.all(), start=1):
        if known is None or not first <= size <= last:
            continue
        helps = reached is None or known.load < reached * (1 - tolerance / 100)
        if helps:
            reached = known.load
        members = curve.pool.members_of(size)
        rows.append(SizeRow(size, members, known.load, known.at_least, helps))
    return rows


class SizeGoal(NamedTuple):
    """A limit that the loads of a curve are to be within, and the least size where they are."""

    curve: SizeCurve
    limit: float
    least: LeastSize

    @staticmethod
    def of(curve: SizeCurve, limit: float, sizes: tuple[int, int], budget: Budget) -> SizeGoal:
        """The goal of some load, with the least of a range of sizes that is found to meet it."""
        limit *= 1 + SLACK
        return SizeGoal(curve, limit, least_size(curve, limit, *sizes, budget))

    def settle(self, size: int, budget: Budget) -> None:
        """Find out whether a size meets the goal, as far as the budget allows."""
        settle(self.curve, size, self.limit, budget)

    def met(self, size: int) -> bool | None:
        """Whether a size meets the goal; None where that is open."""
        if self.curve.within(size, self.limit):
            return True
        return False if self.curve.beyond(size, self.limit) else None


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
