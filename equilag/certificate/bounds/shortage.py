"""What members fall short by at least, from prices of places and moves.

Any prices prove a bound, whoever found them, so that no flow has to be recomputed.
docs/certificates.md has the formula.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.checks.potentials import ABOVE_ALL, member_part
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.group.throughput import Shortage

LARGEST_PRICE: Final = 2**46 - 1
"""Prices are no higher, as all rates together are: their sums fit 63 bits."""


class ShortPrices(NamedTuple):
    """In the unit of `Shortage`."""

    counted: Flags
    """[M] the members whose shortage counts; 0 is known of that of the others."""
    place: Ints
    """[M] price of each partition that a member holds, of any sign."""
    move: int
    """Of each partition that leaves its owner."""


def short_by_prices(
    constraint: CountConstraint, shortage: Shortage, prices: ShortPrices, limit: int | None
) -> int:
    """No assignment within the constraint, with at most `limit` moves, is less short in all.

    A partition costs what is produced to it, with a member that counts; the price of its place; and
    that of its move. All partitions cost at least what they cost at their cheapest places. Without
    the most that places and moves can cost, this is produced to the members that count, at least.
    O(P + partition classes × member classes).
    """
    group, (counted, place, move) = constraint.group, prices
    rate, number = shortage.rate, counted.astype(np.int64)
    cheapest = np.full((2, len(group.class_topics)), ABOVE_ALL)
    np.minimum.at(cheapest, (number, group.class_of), place)
    of_class = np.where(constraint.face, cheapest[:, None, :], ABOVE_ALL).min(
        axis=2, initial=ABOVE_ALL
    )
    other, mine = of_class[:, group.partition_class]
    cost = np.minimum(other, mine + rate)
    owned = np.flatnonzero(group.owner != NOBODY)
    cost[owned] += move
    _at(cost, owned[constraint.may(owned, group.owner[owned])], group, group.owner, prices, rate)
    held = constraint.pinned_assignment
    fixed = np.flatnonzero(held != NOBODY)
    cost[fixed] = ABOVE_ALL
    _at(cost, fixed, group, held, prices, rate)
    least = int(cost[group.assignable].astype(object).sum()) if len(cost) else 0
    least -= member_part(constraint, place) + move * (limit or 0)
    return max(0, least - int(shortage.capacity[counted].sum()))


def _at(
    cost: Ints, some: Ints, group: Group, member: Ints | Index, prices: ShortPrices, rate: Ints
) -> None:
    """Lower the cost of some partitions to that with a member [P] each."""
    whose = member[some]
    moved = (group.owner[some] != NOBODY) & (group.owner[some] != whose)
    here = prices.place[whose] + np.where(prices.counted[whose], rate[some], 0)
    cost[some] = np.minimum(cost[some], here + prices.move * moved)
