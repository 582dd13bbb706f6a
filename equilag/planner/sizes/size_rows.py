"""The rows of `size`."""

from __future__ import annotations

from typing import Final, NamedTuple

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
