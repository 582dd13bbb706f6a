"""When to plan again after plans that came to nothing.

A plan takes up to its whole time limit of one core. Where an imbalance stays that no plan is worth
the moves for, plans must not be made at every other observation.
"""

from __future__ import annotations

from typing import Final

from equilag.planner.worth.thresholds import Verdict

FIRST_S: Final = 15.0
"""Seconds until the next plan: three observations."""
LONGEST_S: Final = 240.0
"""It doubles up to this. Two plans of 5 s, one of them with a limit of moves, are 4 % of a core."""
GROWN: Final = 1.5
"""An imbalance that has grown by so much is another one, and planned for at once."""


class VainPlans:
    """The plans of one group; `now` is in seconds of a monotonic clock."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """A rebalance was started, or the membership has changed."""
        self._number = 0
        self._until = float("-inf")
        self._relief = 0.0
        self._verdict: Verdict | None = None

    def record(self, verdict: Verdict, relief_percent: float, now: float) -> None:
        """A plan came to nothing for this reason; so much relief seems to be within reach still."""
        if now > self._until + LONGEST_S:
            self._number = 0
        self._until = now + min(LONGEST_S, FIRST_S * float(2**self._number))
        self._number = min(self._number + 1, int(LONGEST_S / FIRST_S))
        self._verdict, self._relief = verdict, relief_percent

    def wait(self, relief_percent: float, now: float) -> Verdict | None:
        """Return why not to plan yet for a relief that seems to be within reach."""
        left = self._until - now
        if self._verdict is None or left <= 0 or relief_percent >= GROWN * self._relief:
            return None
        reason = f"the last plan: {self._verdict.reason}; {left:.0f} s until the next"
        return Verdict(self._verdict.ground, reason)
