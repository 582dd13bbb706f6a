"""How a sum of prices of moves is read: as a weight, and as a number of moves."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from equilag.domain.group.member_capacities import Load


class MoveUnit(NamedTuple):
    """How a sum of prices is read."""

    moves: int = 1
    """More than all moves: this much stands for one of the weights, what is left counts moves."""
    scale: int = 1
    """So many of the weights, which are whole numbers, make one unit."""

    def weight(self, price: int) -> Load:
        """The moved weight, in its unit."""
        whole = price // self.moves
        return whole if self.scale == 1 else Fraction(whole, self.scale)

    def count(self, price: int) -> int:
        """The moved partitions."""
        return price % self.moves

    def price(self, weight: Load, count: int) -> int:
        """The price of so many moves of this weight."""
        return int(weight * self.scale) * self.moves + count

    def limit(self, weight: int) -> int:
        """The highest price of moves of at most this weight."""
        return self.price(weight, self.moves - 1)
