"""Whether a better plan is worth a rebalance, with confirmation and hysteresis."""

from __future__ import annotations

from equilag.live.rebalance.gain import Gain, Thresholds


class Trigger:
    """Decides observation by observation.

    After each rebalance the thresholds double, until the gain falls below half of them once. So a
    group whose lag becomes uneven again at once is not rebalanced over and over.
    """

    REARM_SHARE = 0.5
    """Below this share of the thresholds the last rebalance counts as a success."""
    RAISED_FACTOR = 2.0
    """The thresholds after a rebalance, as a multiple of the normal ones."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self._confirmations = 0
        self._last_rebalance_s: float | None = None
        self._doubled = False

    def evaluate(self, gain: Gain, now: float) -> tuple[bool, str]:
        """Return whether to rebalance, and the reason. `now` is in seconds of any monotonic
        clock."""
        thresholds = self._thresholds
        if not gain.reaches(thresholds, self.REARM_SHARE):
            self._doubled = False
        if not gain.reaches(thresholds, self.RAISED_FACTOR if self._doubled else 1.0):
            self._confirmations = 0
            twice = "twice " if self._doubled else ""
            return False, f"below {twice}the threshold"
        self._confirmations += 1
        if self._confirmations < thresholds.confirm:
            return False, f"confirmation {self._confirmations} of {thresholds.confirm}"
        waited = None if self._last_rebalance_s is None else now - self._last_rebalance_s
        if waited is not None and waited < thresholds.min_interval_s:
            return False, f"{thresholds.min_interval_s - waited:.0f} s left of the minimum interval"
        return True, "worth a rebalance"

    def record_rebalance(self, now: float) -> None:
        """A rebalance was started, for whatever reason."""
        self._confirmations = 0
        self._last_rebalance_s = now
        self._doubled = True

    def reset(self) -> None:
        """The membership has changed: earlier observations no longer count."""
        self._confirmations = 0
