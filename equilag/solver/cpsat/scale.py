"""Rounding that keeps the numbers in the model small, and what it costs the bound."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.group.group import Ints

MAX_TOTAL: Final = 2**26
"""Largest sum of loads in a model. The release in use certifies wrong optima of small models of
this shape from sums of 2^30 on (5 of 134 checked against an exhaustive search), and calls feasible
ones infeasible from about 10^10 on, whatever the parameters; none of 2,103 was wrong at this size.
A bound loses at most some 10^-7 of the total by it."""


class Scaled(NamedTuple):
    """Lags and base loads, as loads are compared, in units of `unit`, rounded down."""

    lag: Ints
    """[I, J] of each item with each member."""
    base: Ints
    """[J]"""
    unit: int

    def floor(self, bound: int, most_items: int) -> int:
        """A lower bound on the true spread, from one on the scaled spread.

        A member with n items loses less than unit × (n + 1) by the rounding.
        """
        if self.unit == 1:
            return bound
        return max(0, bound * self.unit - (self.unit - 1) * (most_items + 1))


def scaled(lag: Ints, base: Ints, factor: Ints | None = None) -> Scaled:
    """Lags [I] and base loads [J], times the factors [J] of members, in units small enough for
    `MAX_TOTAL`.

    The smallest base load is subtracted from all of them, which changes no difference.
    """
    factor = np.ones_like(base) if factor is None else factor
    base = base * factor
    base = base - (int(base.min()) if len(base) else 0)
    total = int(lag.sum()) * int(factor.max(initial=1)) + int(base.max(initial=0))
    unit = max(1, -(-total // MAX_TOTAL))
    return Scaled(lag[:, None] * factor // unit, base // unit, unit)
