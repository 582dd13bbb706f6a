"""A part of a group, or all of a small one, as items to be given to a few members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Ints
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import NOBODY, Flags

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


UNLIMITED: Final = 2**62
"""No load reaches this: a group's lags together stay below 2^62."""


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """All loads within `spread` of each other and inside [floor, cap]."""

    spread: int
    floor: int = 0
    cap: int = UNLIMITED
    max_moves: int | None = None
    """Most items that may leave their owner."""
    move_cost: int = 0
    """Each move lowers the spread that is allowed by this much."""


@dataclass(frozen=True, eq=False, slots=True)
class OwnershipTarget:
    """A target for one problem, with moves expressed as owned items that stay."""

    spread: int
    """What is allowed if all of them stay."""
    floor: int
    cap: int
    owned: int
    """Items that have an owner."""
    min_kept: int
    """Fewest of the owned items that must stay; 0 or less for no limit."""
    counts_kept: bool
    """True if it matters which items stay with their owners."""
    allowed: Ints
    """[owned + 1] the spread allowed by the number of owned items that stay; −1 for none."""

    @staticmethod
    def of(target: SearchTarget, owned: int, total: int) -> OwnershipTarget:
        """`total` is the load of all items and members; no spread exceeds it.

        A table, since a cost of moves times moves need not fit 64 bits.
        """
        min_kept = 0 if target.max_moves is None else owned - target.max_moves
        allowed = [
            max(-1, min(total, target.spread - target.move_cost * moves))
            for moves in range(owned, -1, -1)
        ]
        return OwnershipTarget(
            allowed[owned],
            target.floor,
            target.cap,
            owned,
            min_kept,
            min_kept > 0 or target.move_cost > 0,
            np.array(allowed, dtype=np.int64),
        )

    def spread_with(self, kept: int) -> int:
        """The spread allowed if `kept` items stay in the end; below 0 for none."""
        return int(self.allowed[kept])
