"""Whether a better plan is worth a rebalance: patience and hysteresis."""

from __future__ import annotations

from equilag.live.rebalance.gain import Gain, Thresholds


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
