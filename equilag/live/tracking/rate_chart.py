"""Rates of producing, each over a window that begins anew when the rate changes."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
from equilag.live.tracking.topic_columns import renumbered
from equilag.live.tracking.tracked_state import TrackingSettings


class CountWindow(NamedTuple):
    """Records [N] that came in some seconds [N], which are above 0."""

    records: Floats
    seconds: Floats

    @property
    def rate(self) -> Floats:
        """[N] records per second."""
        rate: Floats = self.records / self.seconds
        return rate


def change_score(earlier: CountWindow, newer: CountWindow, spread: Floats) -> Floats:
    """[N] how surely two windows have different rates, in standard deviations.

    It is the root of the likelihood ratio of two Poisson counts, which also holds for a few
    records, divided by the dispersion (quasi-Poisson): `spread` [N] is the variance of the count in
    a second, and counts as the rate if it is below.
    """
    records = earlier.records + newer.records
    rate = records / (earlier.seconds + newer.seconds)
    ratio = 2.0 * (_surprise(earlier, rate) + _surprise(newer, rate))
    dispersion = np.maximum(spread / np.where(rate > 0, rate, 1.0), 1.0)
    score: Floats = np.sqrt(np.maximum(ratio, 0.0) / dispersion)
    return score


def _surprise(window: CountWindow, rate: Floats) -> Floats:
    """[N] records times the logarithm of how many times the expected number they are."""
    expected = rate * window.seconds
    some = window.records > 0
    times = np.divide(window.records, expected, out=np.ones_like(expected), where=some)
    surprise: Floats = window.records * np.log(times)
    return surprise


SURE: Final = 4.5
"""Standard deviations from which on a change counts. A partition is tested some 2,200 times an
hour; with normal errors, one such score comes in 68 hours."""
RELEVANT: Final = 0.1
"""Changes by a smaller part of the rate do not count, however sure: the window forgets the old rate
anyway, and a short window is less exact than that."""
EARLIER_S: Final = 14.0
"""Seconds before a change that must be known: three steps of 5 s."""
EARLIER_STEPS: Final = 3
SOUGHT_S: Final = 30.0
"""A change is looked for so far back: as far as the newest steps that are tested."""
HELD_S: Final = 120.0
"""Seconds for which the last rate stands in for an unknown one: a log end cannot be read while a
partition has no leader."""


MEMORY_S: Final = 240.0
"""Seconds that the mean goes back: eight bursts of a producer that writes every 30 s."""
WITHHELD: Final = 3
"""Newest differences that do not count yet: those are what a change is looked for in."""


class CountSpread:
    """The variance of the count in a second, of P partitions.

    It is half the mean square of the differences between the rates of consecutive steps (von
    Neumann), scaled by the lengths of the steps: a change of rate shows in one difference only. The
    mean is exponentially weighted; at the beginning all differences have the same weight.
    """

    def __init__(self, number: int) -> None:
        self.variance: Floats = np.zeros(number)
        """[P] 0 where nothing is known yet."""
        self._differences: Ints = np.zeros(number, dtype=np.int64)
        """[P] that the variance is a mean of."""
        self._waiting: Floats = np.full((WITHHELD, number), np.nan)
        """[WITHHELD, P] newest last; NaN for none."""
        self._rate: Floats = np.full(number, np.nan)
        """[P] of the last step; NaN if it is not known."""
        self._seconds: Floats = np.ones(number)
        """[P] of the last step."""

    def renumber(self, numbers: Ints) -> None:
        """Take over new columns, see `TopicColumns.columns_in`."""
        self.variance = renumbered(self.variance, numbers, 0.0)
        self._differences = renumbered(self._differences, numbers, 0)
        self._waiting = renumbered(self._waiting, numbers, np.nan)
        self._rate = renumbered(self._rate, numbers, np.nan)
        self._seconds = renumbered(self._seconds, numbers, 1.0)

    def add(self, growth: Floats, seconds: float, valid: Flags) -> None:
        """Add a step of all partitions; where it is not `valid` [P], the next one has none
        before it."""
        rate = np.where(valid, growth / seconds, np.nan)
        square = (rate - self._rate) ** 2 / (1.0 / seconds + 1.0 / self._seconds)
        oldest = self._waiting[0]
        counts = ~np.isnan(oldest)
        self._differences += counts
        weight = np.maximum(1.0 / np.maximum(self._differences, 1), seconds / MEMORY_S)
        step = np.where(counts, np.minimum(weight, 1.0) * (oldest - self.variance), 0.0)
        self.variance = self.variance + step
        self._waiting = np.vstack([self._waiting[1:], square[np.newaxis]])
        self._rate = rate
        self._seconds = np.full(len(rate), seconds)

    def forget(self, where: Flags) -> None:
        """Start anew where a partition was made anew."""
        self.variance[where] = 0.0
        self._differences[where] = 0
        self._waiting[:, where] = np.nan
        self._rate[where] = np.nan


class TrackedColumns(NamedTuple):
    """Rates of P partitions."""

    value: Floats
    """[P] records per second; NaN where unknown."""
    error: Floats
    """[P] standard error, records per second; NaN where unknown."""


class RateChart:
    """A control chart per partition over the growth of log ends.

    The newest two, three and six steps (10, 15 and 30 s) are compared with those before in the
    window. Once a change is sure, the window begins at it: where the score of the two parts is
    highest. The step that the change falls into has some of both rates, so it is left out as soon
    as two more are there.
    """

    def __init__(self, settings: TrackingSettings) -> None:
        self._settings = settings
        self._since: Floats = np.zeros(0)
        """[P] time from which on observations belong to the window."""
        self._changed: Flags = np.zeros(0, dtype=np.bool_)
        """[P] True if the window began with a change: its first step is mixed."""
        self._spread = CountSpread(0)
        self._held = self.current = TrackedColumns(np.zeros(0), np.zeros(0))
        """The rates known last, and those to use now."""
        self._held_at: Floats = np.zeros(0)
        """[P] time of the rates known last."""

    def renumber(self, numbers: Ints, since: float) -> None:
        """Take over new columns, which the observation at the time `since` has first."""
        self._since = renumbered(self._since, numbers, since)
        self._changed = renumbered(self._changed, numbers, False)
        self._held = TrackedColumns(*(renumbered(column, numbers, np.nan) for column in self._held))
        self._held_at = renumbered(self._held_at, numbers, -np.inf)
        self._spread.renumber(numbers)

    def resume(self, rates: tuple[Floats, Floats], at: float, now: float) -> None:
        """Let rates [P] of the time `at`, and their errors, stand in until some are measured."""
        self._hold(*rates, at)
        unknown = np.full(len(self._since), np.nan)
        self._settle(TrackedColumns(unknown, unknown), now)

    def add(self, times: Floats, log_ends: Ints) -> None:
        """Add the last one of the observations `times` [S], `log_ends` [S, P]."""
        newest = len(times) - 1
        if newest > 0:
            self._add_step(times, log_ends)
        known = log_ends[newest] >= 0
        before = log_ends[max(newest - 1, 0)]
        anew = known & (log_ends[newest] < before)
        broken = ~known | (before < 0) | anew
        self._spread.forget(anew)
        self._held.value[anew] = np.nan
        after = np.nextafter(times[-1], np.inf)
        self._begin(broken, np.where(known, times[-1], after)[broken], changed=False)
        earliest = times[self._earliest(times)]
        self._begin(self._since < earliest, earliest, changed=False)
        self._seek_changes(times, log_ends)
        self._settle(self._measured(times, log_ends), float(times[-1]))

    def _hold(self, value: Floats, error: Floats, at: float) -> None:
        later = ~np.isnan(value) & (at > self._held_at)
        self._held.value[later] = value[later]
        self._held.error[later] = error[later]
        self._held_at[later] = at

    def _settle(self, found: TrackedColumns, now: float) -> None:
        self._hold(found.value, found.error, now)
        held = np.isnan(found.value) & (self._held_at >= now - HELD_S)
        self.current = TrackedColumns(
            np.where(held, self._held.value, found.value),
            np.where(held, self._held.error, found.error),
        )

    def _add_step(self, times: Floats, log_ends: Ints) -> None:
        before, after = log_ends[-2], log_ends[-1]
        growth = (after - before).astype(np.float64)
        valid = (before >= 0) & (after >= before)
        self._spread.add(growth, float(times[-1] - times[-2]), valid)

    def _begin(self, where: Flags, since: Floats, *, changed: bool) -> None:
        self._since[where] = since
        self._changed[where] = changed

    def _earliest(self, times: Floats) -> int:
        """The first observation within the longest window; but two steps back at least."""
        inside = int(np.searchsorted(times, times[-1] - self._settings.rate_window))
        return max(0, min(inside, len(times) - 3))

    def _seek_changes(self, times: Floats, log_ends: Ints) -> None:
        begin = np.searchsorted(times, self._since) + self._changed
        alarm = np.zeros(len(begin), dtype=np.bool_)
        newest = len(times) - 1
        least = self._settings.least_window
        for seconds in (least, 1.5 * least, 3.0 * least):
            split = _before(times, seconds)
            if split < EARLIER_STEPS:
                continue
            tested = (split - begin >= EARLIER_STEPS) & (
                times[split] - times[np.minimum(begin, newest)] >= EARLIER_S
            )
            columns = np.flatnonzero(tested & ~alarm)
            earlier, newer = _windows(times, log_ends, (begin, columns), split)
            score = change_score(earlier, newer, self._spread.variance[columns])
            apart = np.abs(newer.rate - earlier.rate)
            sure = (score >= SURE) & (apart >= RELEVANT * earlier.rate)
            alarm[columns[sure]] = True
        columns = np.flatnonzero(alarm)
        if len(columns):
            self._begin(alarm, times[_change_points(times, log_ends, begin, columns)], changed=True)

    def _measured(self, times: Floats, log_ends: Ints) -> TrackedColumns:
        """The rates over the windows; unknown where these are too short."""
        newest = len(times) - 1
        first = np.searchsorted(times, self._since)
        shortest = max(0, _before(times, self._settings.least_window))
        begin = np.where(self._changed, np.minimum(first + 1, shortest), np.minimum(first, newest))
        seconds = times[newest] - times[begin]
        records = log_ends[newest] - log_ends[begin, np.arange(len(begin))]
        known = seconds >= self._settings.least_window
        window = np.where(known, seconds, np.nan)
        rate = records / window
        variance = np.maximum(np.maximum(rate, self._spread.variance), 1.0 / window)
        return TrackedColumns(rate, np.sqrt(variance / window))


def _before(times: Floats, seconds: float) -> int:
    """The last observation that is so much older than the newest one; -1 if there is none."""
    return int(np.searchsorted(times, times[-1] - seconds, side="right")) - 1


def _change_points(times: Floats, log_ends: Ints, begin: Ints, columns: Ints) -> Ints:
    """[N] the observation that parts the window of each of these columns [N] best."""
    newest = len(times) - 1
    best = np.full(len(columns), newest - 1)
    highest = np.full(len(columns), -np.inf)
    for split in range(newest - 1, 0, -1):
        if times[newest] - times[split] > SOUGHT_S:
            break
        inside = np.flatnonzero(begin[columns] < split)
        earlier, newer = _windows(times, log_ends, (begin, columns[inside]), split)
        score = change_score(earlier, newer, np.zeros(len(inside)))
        better = score > highest[inside]
        best[inside[better]] = split
        highest[inside[better]] = score[better]
    return best


def _windows(
    times: Floats, log_ends: Ints, where: tuple[Ints, Ints], split: int
) -> tuple[CountWindow, CountWindow]:
    """What came before and after the observation `split` in some columns [N] of the windows that
    begin at the observations [P]: `where` holds both."""
    begin, columns = where
    first = begin[columns]
    middle = log_ends[split, columns]
    before = (middle - log_ends[first, columns]).astype(np.float64)
    after = (log_ends[-1, columns] - middle).astype(np.float64)
    seconds = np.full(len(columns), times[-1] - times[split])
    return CountWindow(before, times[split] - times[first]), CountWindow(after, seconds)
