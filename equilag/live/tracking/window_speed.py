"""The speed of a member now, from its windows with a backlog all along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import hypot, inf, sqrt
from typing import Final, NamedTuple

from equilag.adapters.measuring.speeds import BacklogWindows

LENGTH_S: Final = 10.0
"""Length of the windows: a change of speed is found to 10 s, which is two commits."""
SURELY_APART: Final = 4.0
"""Standard errors between two speeds from which on the member has changed. The time of a commit is
known up to the time between two samples; two speeds that share that time differ by up to 3.5."""
APART: Final = 0.15
"""And they differ by so much of the higher one: less moves no partition, see `speed_levels`."""
EXACT: Final = 0.25
"""Largest standard error of a speed that counts, as a part of it: 10 s with observations every 5 s,
6 s with observations every 2 s. A rough speed at once costs less than a rebalance that knows none:
the partitions that it moves have to be observed anew."""
ROUNDING_S: Final = 1e-6
"""Times of the same commit differ by less, and of two commits by more."""


class WindowSpeed(NamedTuple):
    """A speed in records per second, its standard error, and when it was true last."""

    value: float
    error: float
    until: float
    """Seconds of the observations' clock."""
    since: float = -inf
    """When it changed last, on that clock: windows before are of another speed."""

    def at(self, origin: float) -> WindowSpeed:
        """Return the speed with `until` on a clock that shows `origin` at its time 0."""
        return self._replace(until=self.until + origin)

    @property
    def exact(self) -> bool:
        return self.error <= EXACT * self.value

    def apart_from(self, other: WindowSpeed) -> bool:
        """Return whether the two are surely not one speed."""
        return _score(self, other) > 0


class _Window(NamedTuple):
    """One window; plain numbers, since there are at most ten, and arrays would take longer."""

    records: float
    seconds: float
    timing: float
    """Variance of the records by the time of the two commits."""
    until: float


def window_speed(windows: BacklogWindows, since: float = -inf) -> WindowSpeed | None:
    """Return the speed since it changed last; None if it is not known exactly enough.

    Windows that begin before `since` do not count.

    The windows are parted where the two parts differ most, as long as they surely differ. The
    first window of the newer part has some of both speeds, so it is left out if the rest is exact
    enough.
    """
    left = [one for one in _windows(windows) if one.until - one.seconds > since - ROUNDING_S]
    while (parted := _change_point(left)) is not None:
        rest = left[parted + 1 :]
        left = rest if rest and _together(rest).exact else left[parted:]
        since = left[0].until - left[0].seconds
    if not left or not (found := _together(left)).exact:
        return None
    return found._replace(since=since)


def _windows(windows: BacklogWindows) -> list[_Window]:
    found = []
    columns = (column.tolist() for column in windows)
    for seconds, speed, error, until in zip(*columns, strict=True):
        records = speed * seconds
        found.append(_Window(records, seconds, max(0.0, (error * seconds) ** 2 - records), until))
    return found


def _score(one: WindowSpeed, other: WindowSpeed) -> float:
    """By how many standard errors two speeds differ; 0 where that is too few to be sure, or where
    the speeds are next to alike.

    Errors are those that the higher speed would have: a window of 10 s that misses a commit looks
    slow and, by its own speed, sure.
    """
    difference, faster = abs(one.value - other.value), max(one.value, other.value)
    relative = hypot(one.error / one.value, other.error / other.value)
    score = difference / (relative * faster)
    sure = score > SURELY_APART and difference > APART * faster
    return score if sure else 0.0


def _change_point(windows: Sequence[_Window]) -> int | None:
    """The first window after the surest change; None without one."""
    earlier = [*_pooled(windows)]
    newer = [*_pooled(windows[::-1])][::-1]
    scores = [_score(*parts) for parts in zip(earlier[:-1], newer[1:], strict=True)]
    highest = max(scores, default=0.0)
    return scores.index(highest) + 1 if highest else None


def _together(windows: Sequence[_Window]) -> WindowSpeed:
    *_, last = _pooled(windows)
    return last


def _pooled(windows: Iterable[_Window]) -> Iterator[WindowSpeed]:
    """Yield the speed of the first window, the first two, and so on.

    Where a window begins as the one before ends, the time of the commit between them does not
    matter: the error of a chain is that of its ends, here the largest of its windows.
    """
    records = seconds = chains = chain = 0.0
    before: _Window | None = None
    for window in windows:
        if before is None or not _adjoin(before, window):
            chains, chain = chains + chain, 0.0
        chain = max(chain, window.timing)
        records += window.records
        seconds += window.seconds
        before = window
        error = sqrt(chains + chain + records) / seconds
        yield WindowSpeed(records / seconds, error, window.until)


def _adjoin(one: _Window, other: _Window) -> bool:
    """Return whether one of them begins with the commit that the other ends with."""
    apart = min(abs(two.until - two.seconds - to.until) for two, to in ((one, other), (other, one)))
    return apart < ROUNDING_S
