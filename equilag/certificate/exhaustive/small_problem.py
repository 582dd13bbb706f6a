"""A part of a group, or all of a small one, as items to be given to a few members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import NOBODY, Flags, Ints

MAX_ITEMS: Final = 40
"""Most items of a search: each half of them has up to 2^20 subsets, which are all listed."""
MAX_MEMBERS: Final = 8
"""Most members of a search: the load limits of a node look at all 2^8 sets of members."""
OUTSIDE: Final = -2
"""Stands in `SmallProblem.owner` for a member that is not part of the problem."""


class ReadsAcross(NamedTuple):
    """A limit on partitions that are read across racks."""

    cost: Ints
    """[I, J] partitions of an item that a member reads across racks."""
    most: int
    """Of all items together."""


@dataclass(frozen=True, eq=False)
class SmallProblem:
    """A few members J and items I; the rest of the group stays as it is."""

    lag: Ints
    """[I]"""
    allowed: Flags
    """[I, J]"""
    base: Ints
    """[J] load of what a member holds beyond the items."""
    lo: Ints
    """[J] fewest items."""
    hi: Ints
    """[J] most items."""
    owner: Ints
    """[I] column of the item's owner, NOBODY without an owner, OUTSIDE for a member not in J."""
    factor: Ints | None = None
    """[J] what a member's load is multiplied by to be compared; None for 1. Base loads are not
    scaled."""
    forced_moves: int = 0
    """Moves that every assignment has beside those of items."""
    stakes: Ints | None = None
    """[I, J] moves that an item saves with a member; None where that is 1 with its owner."""
    sums: InstanceSums | None = None
    """Fewest and most items of the members of an instance; `of` is [J]."""
    reads: ReadsAcross | None = None
    """None where they are not limited, or `allowed` says as much."""
    topic: Ints | None = None
    """[I] topic number from 0; None unless counts are limited by topic."""
    topic_lo: Ints | None = None
    """[topics, J]"""
    topic_hi: Ints | None = None
    """[topics, J]"""

    def moves(self, found: Ints) -> int:
        """Moves of an assignment [I]."""
        if self.stakes is None:
            return self.forced_moves + int(((self.owner != NOBODY) & (self.owner != found)).sum())
        kept = self.stakes[np.arange(len(found)), found]
        return self.forced_moves + int(self.stakes.sum()) - int(kept.sum())

    @property
    def fits(self) -> bool:
        """True if the problem is small enough to be searched, and has no limit on reads."""
        if self.reads is not None:
            return False
        small = len(self.lag) <= MAX_ITEMS and len(self.base) <= MAX_MEMBERS
        return len(self.base) > 0 and (small or not len(self.lag))
