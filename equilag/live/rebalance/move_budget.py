"""How many moves rebalances may still take: a budget per hour that fills up steadily."""

from __future__ import annotations

from typing import Final

_HOUR_S: Final = 3600.0
MOVES_PER_PARTITION: Final = 10
"""Default moves per partition and hour: a group whose load is dealt anew every 2 minutes needs
about that, and a steady one none."""


class MoveBudget:
    """Starts full; `per_hour` None stands for a default by the number of partitions."""

    def __init__(self, per_hour: int | None) -> None:
        self._per_hour = per_hour
        self._used = 0.0
        """Moves taken that are not yet refilled."""
        self._at = 0.0

    def left(self, n_partitions: int, now: float) -> int:
        """Moves that may be taken now."""
        most = self._limit(n_partitions)
        self._refill(most, now)
        return max(0, int(most - self._used))

    def take(self, moves: int, n_partitions: int, now: float) -> None:
        """A rebalance with these moves was started."""
        self._refill(self._limit(n_partitions), now)
        self._used += moves

    def _limit(self, n_partitions: int) -> int:
        return n_partitions * MOVES_PER_PARTITION if self._per_hour is None else self._per_hour

    def _refill(self, most: int, now: float) -> None:
        self._used = max(0.0, self._used - most * max(0.0, now - self._at) / _HOUR_S)
        self._at = now
