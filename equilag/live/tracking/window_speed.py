"""The speed of a member now, from its windows with a backlog all along."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.measuring.backlog_windows import BacklogWindows
from equilag.measuring.speeds import SHORTEST_S

SURELY_APART: Final = 2.5
"""Standard errors between two speeds from which on the member has changed: one window in 80 is so
far off by chance, and then only the older windows are left out."""
APART: Final = 0.15
"""And they differ by so much of the higher one: less moves no partition, see `speed_levels`."""
EXACT: Final = 0.2
"""Largest standard error of a speed that counts, as a part of it: that of one window of 15 s or
more, with observations every 5 s."""


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
        if seconds and _apart(records / seconds, np.sqrt(variance) / seconds, speed, error):
            break
        records += speed * length
        seconds += length
        variance += (error * length) ** 2
    if not records or np.sqrt(variance) > EXACT * records:
        return None
    return WindowSpeed(records / seconds, np.sqrt(variance) / seconds, float(windows.until[-1]))


def _apart(now: float, error: float, before: float, error_before: float) -> bool:
    difference = abs(now - before)
    return difference > SURELY_APART * float(np.hypot(error, error_before)) and (
        difference > APART * max(now, before)
    )
