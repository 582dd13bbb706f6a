"""The speed of a member now, from its windows with a backlog all along."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.measuring.backlog_windows import BacklogWindows
from equilag.measuring.speeds import SHORTEST_S

SURELY_APART: Final = 4.0
"""Standard errors between two speeds from which on the member has changed. The time of a commit is
known up to the time between two samples; two speeds that share that time differ by up to 3.5."""
APART: Final = 0.15
"""And they differ by so much of the higher one: less moves no partition, see `speed_levels`."""
EXACT: Final = 0.1
"""Largest standard error of a speed that counts, as a part of it: that of a window of 20 s with
observations every 5 s, of 8 s with observations every 2 s."""


class WindowSpeed(NamedTuple):
    """A speed in records per second, its standard error, and when it was true last."""

    value: float
    error: float
    until: float
    """Seconds of the observations' clock."""

    def at(self, origin: float) -> WindowSpeed:
        """Return the speed with `until` on a clock that shows `origin` at its time 0."""
        return self._replace(until=self.until + origin)


def window_speed(windows: BacklogWindows) -> WindowSpeed | None:
    """Return the speed over the newest windows, back to the first one that surely has another
    speed; None if they are too short."""
    records = seconds = variance = 0.0
    for at in range(len(windows.seconds) - 1, -1, -1):
        length, speed, error = windows.seconds[at], windows.speed[at], windows.error[at]
        if length < SHORTEST_S:
            continue
        if seconds and surely_apart(records / seconds, np.sqrt(variance) / seconds, speed, error):
            break
        records += speed * length
        seconds += length
        variance += (error * length) ** 2
    if not records or np.sqrt(variance) > EXACT * records:
        return None
    error = float(np.sqrt(variance) / seconds)
    return WindowSpeed(float(records / seconds), error, float(windows.until[-1]))


def surely_apart(now: float, error: float, before: float, error_before: float) -> bool:
    """Return whether two speeds with these standard errors are too far apart for one speed."""
    difference = abs(now - before)
    return difference > SURELY_APART * float(np.hypot(error, error_before)) and (
        difference > APART * max(now, before)
    )
