"""Whether a better plan is worth a rebalance: patience and hysteresis."""

from __future__ import annotations

from equilag.live.rebalance.gain import Gain, Thresholds


class Trigger:
    """Says when, round by round.

    After each rebalance of ours the gain asked for is twice as much, until the gain was once below
    half of the threshold: a group whose lag comes back at once is not rebalanced over and over.
    """

    REARM_SHARE = 0.5
    RAISED_FACTOR = 2.0

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self._confirmations = 0
        self._last_rebalance_s: float | None = None
        self._doubled = False

    def evaluate(self, gain: Gain, now: float) -> tuple[bool, str]:
        """Is it time, and why or why not. `now` is in seconds of any clock that only goes on."""
        asked = self._thresholds
        if not gain.reaches(asked, self.REARM_SHARE):
            self._doubled = False
        if not gain.reaches(asked, self.RAISED_FACTOR if self._doubled else 1.0):
            self._confirmations = 0
            twice = "twice " if self._doubled else ""
            return False, f"below {twice}the threshold"
        self._confirmations += 1
        if self._confirmations < asked.confirm:
            return False, f"round {self._confirmations} of {asked.confirm} that says so"
        waited = None if self._last_rebalance_s is None else now - self._last_rebalance_s
        if waited is not None and waited < asked.min_interval_s:
            return False, f"{asked.min_interval_s - waited:.0f} s left of the minimum interval"
        return True, "worth a rebalance"

    def record_rebalance(self, now: float) -> None:
        """A rebalance was started, for this or another reason."""
        self._confirmations = 0
        self._last_rebalance_s = now
        self._doubled = True

    def reset(self) -> None:
        """The group is another one now: rounds before do not count."""
        self._confirmations = 0
