"""A part of a group, or all of a small one, as items to be given to a few members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from equilag.group import Flags, Ints

MAX_ITEMS: Final = 40
"""Most items of a search: each half of them has up to 2^20 subsets, which are all listed."""
MAX_MEMBERS: Final = 8
"""Most members of a search: the load limits of a node look at all 2^8 sets of members."""
OUTSIDE: Final = -2
"""Stands in `SmallProblem.owner` for a member that is not part of the problem."""


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
    topic: Ints | None = None
    """[I] topic number from 0; None unless counts are limited by topic."""
    topic_lo: Ints | None = None
    """[topics, J]"""
    topic_hi: Ints | None = None
    """[topics, J]"""

    @property
    def fits(self) -> bool:
        """True if the problem is small enough to be searched."""
        small = len(self.lag) <= MAX_ITEMS and len(self.base) <= MAX_MEMBERS
        return len(self.base) > 0 and (small or not len(self.lag))
