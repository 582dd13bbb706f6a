"""The speed of a member now, from its windows with a backlog all along."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.columns import Floats
from equilag.measuring.backlog_windows import BacklogWindows

LENGTH_S: Final = 10.0
"""Length of the windows: a change of speed is found to 10 s, which is two commits."""
SURELY_APART: Final = 4.0
"""Standard errors between two speeds from which on the member has changed. The time of a commit is
known up to the time between two samples; two speeds that share that time differ by up to 3.5."""
APART: Final = 0.15
"""And they differ by so much of the higher one: less moves no partition, see `speed_levels`."""
EXACT: Final = 0.1
"""Largest standard error of a speed that counts, as a part of it: that of 20 s with observations
every 5 s, of 8 s with observations every 2 s."""


class WindowSpeed(NamedTuple):
    """A speed in records per second, its standard error, and when it was true last."""

    value: float
    error: float
    until: float
    """Seconds of the observations' clock."""

    def at(self, origin: float) -> WindowSpeed:
        """Return the speed with `until` on a clock that shows `origin` at its time 0."""
        return self._replace(until=self.until + origin)

    def apart_from(self, other: WindowSpeed) -> bool:
        """Return whether the two are surely not one speed."""
        one, another = _Pooled.of(self), _Pooled.of(other)
        return bool(_scores(one, another)[0] > 0)


class _Pooled(NamedTuple):
    """Windows from the first one to each [W]; or, of reversed ones, from each to the last one."""

    speed: Floats
    error: Floats

    @classmethod
    def of(cls, one: WindowSpeed) -> _Pooled:
        return cls(np.array([one.value]), np.array([one.error]))


def window_speed(windows: BacklogWindows) -> WindowSpeed | None:
    """Return the speed since it changed last; None if it is not known exactly enough.

    The windows are parted where the two parts differ most, as long as they surely differ. The
    first window of the newer part has some of both speeds, so it is left out if the rest is exact
    enough.
    """
    while (parted := _change_point(windows)) is not None:
        rest = BacklogWindows(*(column[parted + 1 :] for column in windows))
        windows = rest if _exact(rest) else BacklogWindows(*(column[parted:] for column in windows))
    if not _exact(windows):
        return None
    speed, error = _pooled(windows)
    return WindowSpeed(float(speed[-1]), float(error[-1]), float(windows.until[-1]))


def _scores(one: _Pooled, other: _Pooled) -> Floats:
    """[W] by how many standard errors speeds differ; 0 where that is too few to be sure, or where
    the speeds are next to alike."""
    difference = np.abs(one.speed - other.speed)
    score = difference / np.hypot(one.error, other.error)
    sure = (score > SURELY_APART) & (difference > APART * np.maximum(one.speed, other.speed))
    return np.where(sure, score, 0.0)


def _change_point(windows: BacklogWindows) -> int | None:
    """The first window after the surest change; None without one."""
    if len(windows.seconds) < 2:
        return None
    earlier = _pooled(windows)
    newer = _pooled(BacklogWindows(*(column[::-1] for column in windows)))
    scores = _scores(
        _Pooled(*(column[:-1] for column in earlier)),
        _Pooled(*(column[::-1][1:] for column in newer)),
    )
    best = int(scores.argmax())
    return best + 1 if scores[best] else None


def _exact(windows: BacklogWindows) -> bool:
    if not len(windows.seconds):
        return False
    speed, error = _pooled(windows)
    return bool(error[-1] <= EXACT * speed[-1])


def _pooled(windows: BacklogWindows) -> _Pooled:
    """[W] the speed over the first so many windows.

    Where a window begins as the one before ends, the time of the commit between them does not
    matter: the error of a chain is that of its ends, here the largest of its windows.
    """
    records = windows.speed * windows.seconds
    timing = np.maximum((windows.error * windows.seconds) ** 2 - records, 0.0)
    begin = windows.until - windows.seconds
    follows = np.isclose(begin[1:], windows.until[:-1]) | np.isclose(windows.until[1:], begin[:-1])
    chain = np.concatenate([[0], np.cumsum(~follows)])
    largest = np.zeros((len(records), len(records)))
    largest[chain, np.arange(len(records))] = timing
    ends = np.maximum.accumulate(largest, axis=1).sum(axis=0)
    total, seconds = np.cumsum(records), np.cumsum(windows.seconds)
    return _Pooled(total / seconds, np.sqrt(ends + total) / seconds)
