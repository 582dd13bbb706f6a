"""How long to wait between rebalances: longer while they bring nothing, shorter while they help."""

from __future__ import annotations

from typing import Final

MAX_DOUBLINGS: Final = 5
"""The longest cooldown is 32 times the shortest: a quarter of an hour with the default of 30 s. So
long an imbalance may have to wait after rebalances that brought nothing."""


class Cooldown:
    """The time from one started rebalance to the next; `now` is in seconds of a monotonic clock."""

    def __init__(self, shortest_s: float) -> None:
        self._shortest_s = shortest_s
        self._doublings = 0
        self._started_at: float | None = None

    @property
    def seconds(self) -> float:
        """The cooldown in force."""
        return self._shortest_s * float(2**self._doublings)

    def start(self, now: float) -> None:
        """A rebalance was started."""
        self._started_at = now

    def left(self, now: float) -> float:
        """Seconds until the next rebalance may be started."""
        if self._started_at is None:
            return 0.0
        return max(0.0, self._started_at + self.seconds - now)

    def helped(self) -> None:
        """The last rebalance brought what it promised."""
        self._doublings = max(0, self._doublings - 1)

    def brought_nothing(self) -> None:
        """The last rebalance did not help."""
        self._doublings = min(MAX_DOUBLINGS, self._doublings + 1)
