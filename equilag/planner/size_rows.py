"""The rows of `size`."""

from __future__ import annotations

from equilag.planner.size_curve import SizeCurve
from equilag.planner.size_search import LeastSize
from equilag.planner.sizing import SizeRow


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


def verdict(least: LeastSize | None, size: int) -> bool | None:
    """Whether a size is within the limit; None where that is open, or there is no limit."""
    if least is None:
        return None
    if least.at_most is not None and size >= least.at_most:
        return True
    return False if size < least.at_least else None
