"""Quotas by capacity and room, where subscriptions are alike or disjoint.

The members of a class have as many partitions as cost less than the level of the class; those for
whom one more costs the level have the right to a remainder (see `domain.constraint.blocks`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Ints
from equilag.domain.constraint import count_upto, least_levels, marginal_cost
from equilag.domain.group.group import Group


class CapacityQuotas(NamedTuple):
    """The intervals of the members, and how many more than the fewest a class has."""

    least: Ints
    """[M]"""
    open: Flags
    """[M] True for members that may have one more."""
    rest: Ints
    """[K] how many of the class have one more."""
    moves_on: Flags
    """[M] those of them that might have it or not: in a class of their level, not all have it."""

    @property
    def most(self) -> Ints:
        """[M]"""
        return self.least + self.open

    @property
    def interval(self) -> tuple[Ints, Ints]:
        """[M] fewest and most, as `constraint_of` reads them off."""
        return self.most - self.moves_on, self.most

    @staticmethod
    def of(group: Group, size: Ints) -> CapacityQuotas:
        """For so many partitions of each class [K], which fit into its room. O(M log M)."""
        real = group.real
        assert real is not None
        n_classes, classes = len(size), group.class_of.astype(np.int64)
        room = np.minimum(real.room, size[classes])
        kinds, kind_of, width = np.unique(
            np.stack((classes, real.capacity, room)),
            axis=1,
            return_inverse=True,
            return_counts=True,
        )
        place, capacity, most = kinds
        level = least_levels(size, capacity, np.zeros_like(capacity), most, width, place)[place]
        busy = np.isfinite(level)
        upper = np.minimum(count_upto(np.where(busy, level, 0), capacity), most) * busy
        tied = (upper > 0) & (marginal_cost(upper, capacity) == level)
        lower = upper - tied
        rest = size - np.bincount(place, width * lower, n_classes).astype(np.int64)
        some_left = rest < np.bincount(place, width * tied, n_classes)
        moving = tied & np.isin(level, level[some_left[place] & tied])
        kind_of = kind_of.ravel()  # of the members
        return CapacityQuotas(lower[kind_of], tied[kind_of], rest, moving[kind_of])
