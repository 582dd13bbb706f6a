"""What a search looks for: a limit on the spread, a window for all loads, a limit on moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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


@dataclass(frozen=True, slots=True)
class OwnershipTarget:
    """A target for one problem, with moves expressed as owned items that stay."""

    spread: int
    floor: int
    cap: int
    move_cost: int
    owned: int
    """Items that have an owner."""
    min_kept: int
    """Fewest of them that must stay; 0 or less for no limit."""

    @staticmethod
    def of(target: SearchTarget, owned: int, total: int) -> OwnershipTarget:
        """`total` is the load of all items and members; no spread exceeds it."""
        # A spread above this allows everything. The limit keeps all sums far from 2^63.
        widest = total + target.move_cost * owned
        min_kept = 0 if target.max_moves is None else owned - target.max_moves
        spread = min(target.spread, widest)
        return OwnershipTarget(spread, target.floor, target.cap, target.move_cost, owned, min_kept)

    @property
    def counts_kept(self) -> bool:
        """True if it matters which items stay with their owners."""
        return self.min_kept > 0 or self.move_cost > 0

    def spread_with(self, kept: int) -> int:
        """The spread allowed if `kept` items stay in the end."""
        return self.spread - self.move_cost * (self.owned - kept)
