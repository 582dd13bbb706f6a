"""Whether a better plan is worth a rebalance: thresholds, patience and hysteresis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a rebalance is worth it; all have to be met."""

    gain_percent: float = 20.0
    """Lag spread saved, in percent of the mean load per member."""
    gain_records: int = 1000
    """Lag spread saved, in records."""
    gain_per_move: int = 0
    """Lag spread saved for each partition that is moved, in records."""
    confirm: int = 3
    """Rounds in a row that have to say so."""
    min_interval_s: float = 300.0
    """Seconds from one rebalance of ours to the next."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a plan would change."""

    spread_now: int
    spread_then: int
    mean: float
    """Lag per member."""
    moves: int

    @property
    def saved(self) -> int:
        return self.spread_now - self.spread_then

    @property
    def percent(self) -> float:
        """Of the mean load."""
        return 100.0 * self.saved / self.mean if self.mean else 0.0

    def reaches(self, thresholds: Thresholds, share: float = 1.0) -> bool:
        """Is it `share` of what the thresholds ask for?"""
        return (
            self.saved > 0
            and self.percent >= share * thresholds.gain_percent
            and self.saved >= share * thresholds.gain_records
            and self.saved >= share * thresholds.gain_per_move * self.moves
        )

    def __str__(self) -> str:
        return (
            f"lag spread {self.spread_now:,} to {self.spread_then:,}"
            f" ({self.percent:.1f} % of the mean) for {self.moves} moves"
        )


class Trigger:
    """Says when, round by round.

    After each rebalance of ours the gain asked for is twice as much, until the gain was once below
    half of the threshold: a group whose lag comes back at once is not rebalanced over and over.
    """

    REARM = 0.5
    RAISED = 2.0

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self._in_a_row = 0
        self._last: float | None = None
        self._raised = False

    def judge(self, gain: Gain, now: float) -> tuple[bool, str]:
        """Is it time, and why or why not. `now` is in seconds of any clock that only goes on."""
        asked = self._thresholds
        if not gain.reaches(asked, self.REARM):
            self._raised = False
        if not gain.reaches(asked, self.RAISED if self._raised else 1.0):
            self._in_a_row = 0
            twice = "twice " if self._raised else ""
            return False, f"below {twice}the threshold"
        self._in_a_row += 1
        if self._in_a_row < asked.confirm:
            return False, f"round {self._in_a_row} of {asked.confirm} that says so"
        waited = None if self._last is None else now - self._last
        if waited is not None and waited < asked.min_interval_s:
            return False, f"{asked.min_interval_s - waited:.0f} s left of the minimum interval"
        return True, "worth a rebalance"

    def pulled(self, now: float) -> None:
        """A rebalance was started, for this or another reason."""
        self._in_a_row = 0
        self._last = now
        self._raised = True

    def reset(self) -> None:
        """The group is another one now: rounds before do not count."""
        self._in_a_row = 0
