"""Loads in numbers small enough for a model, and what is known of them. Without OR-Tools."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, lcm
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.group.group import Ints
from equilag.domain.group.member_capacities import Load, MemberCapacities

MAX_TOTAL: Final = 2**26
"""Largest sum of loads in a model. The release in use certifies wrong optima of small models of
this shape from sums of 2^30 on (5 of 134 checked against an exhaustive search), and calls feasible
ones infeasible from about 10^10 on, whatever the parameters; none of 2,103 was wrong at this size.
A bound loses at most some 10^-7 of the total by it."""


class LoadsKnown(NamedTuple):
    """What is proved of the loads of all assignments, and the spread of one."""

    highest: Load
    """No assignment has a smaller heaviest load."""
    lowest: Load
    """No assignment has a larger lightest load."""
    spread: Load | None
    """Only assignments with no larger spread are asked for; None for all."""


class Scaled(NamedTuple):
    """Loads of items and base loads in units of `unit`, rounded down."""

    lag: Ints
    """[I, J] of each item with each member."""
    base: Ints
    """[J]"""
    unit: Fraction
    """The load that 1 stands for."""
    lost: Fraction
    """What rounding takes from each of these numbers at most, in units: below 1."""
    shift: Fraction
    """The load that is taken from every base load."""

    def floor(self, bound: int, most_items: int) -> Load:
        """A lower bound on the true spread, from one on the scaled spread.

        A member with n items loses n + 1 roundings.
        """
        found = max(Fraction(0), (bound - self.lost * (most_items + 1)) * self.unit)
        return found.numerator if found.denominator == 1 else found

    def ceiling(self, spread: Load, most_items: int) -> int:
        """The largest scaled spread of assignments with a spread below `spread`."""
        return ceil(spread / self.unit + self.lost * (most_items + 1)) - 1


def scaled(lag: Ints, base: Ints, capacities: MemberCapacities | None = None) -> Scaled:
    """Lags [I] and base loads [J] of members with these capacities, in units small enough for
    `MAX_TOTAL`.

    The smallest base load is subtracted from all of them, which changes no difference.
    """
    whole = [1] * len(base)
    if capacities is not None:
        whole = [capacities.whole[kind] for kind in capacities.kind_of.tolist()]
    # In this scale all loads are whole numbers, of any size.
    scale = lcm(*whole)
    factor = np.array([scale // capacity for capacity in whole], dtype=object)
    loads = base * factor
    least = min(loads, default=0)
    loads = loads - least
    total = int(lag.sum()) * max(factor, default=1) + max(loads, default=0)
    unit = max(1, -(-total // MAX_TOTAL))
    one = Fraction(1 if capacities is None else capacities.whole[-1], scale)
    return Scaled(
        (lag[:, None] * factor // unit).astype(np.int64),
        (loads // unit).astype(np.int64),
        unit * one,
        Fraction(unit - 1, unit),
        int(least) * one,
    )
