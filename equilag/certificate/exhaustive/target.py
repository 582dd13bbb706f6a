"""What a search looks for: a limit on the spread, a window for all loads, a limit on moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.domain.columns import Ints

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
