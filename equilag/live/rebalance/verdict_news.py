"""Which verdicts are news for a log: each observation ends in one."""

from __future__ import annotations

from typing import Final

from equilag.planner.worth.thresholds import Verdict

_AGAIN_S: Final = 60.0
"""A verdict of the same ground is no news within a minute: near a threshold it comes and goes with
every observation."""


class VerdictNews:
    """Remembers what was told. `now` is in seconds of any monotonic clock."""

    def __init__(self) -> None:
        self._ground = ""
        self._told_at: dict[str, float] = {}

    def is_news(self, verdict: Verdict, now: float) -> bool:
        """Return True for a verdict whose ground is another one than before, and was not told
        lately. A rebalance is told by itself."""
        changed, self._ground = verdict.ground != self._ground, verdict.ground
        if verdict.worth_it:
            self._told_at = {}
            return False
        if not changed or now - self._told_at.get(verdict.ground, float("-inf")) < _AGAIN_S:
            return False
        self._told_at[verdict.ground] = now
        return True
