"""Rates of producing: the growth of log ends since the rate last changed."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
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
"""Standard deviations from which on a change counts: with normal errors, few an hour in a group of
1,000 partitions."""
RELEVANT: Final = 0.1
"""Changes by a smaller part of the rate do not count, however sure: the window forgets the old rate
anyway, and a short window is less exact than that."""
EARLIER_S: Final = 14.0
"""Seconds before a change that must be known: three steps of 5 s."""
EARLIER_STEPS: Final = 3
SILENT_STEPS: Final = 1
"""So many are enough without any record, whose number has no spread: a producer begins."""
WITHHELD: Final = 3
"""Newest differences of rates that are no spread yet: they may be a change."""


class ProduceRates(NamedTuple):
    """Rates of P partitions."""

    value: Floats
    """[P] records per second; NaN where unknown."""
    error: Floats
    """[P] standard error, records per second; NaN where unknown."""


def produce_rates(times: Floats, log_ends: Ints, settings: TrackingSettings) -> ProduceRates:
    """Return the rates now, from observations `times` [S] of `log_ends` [S, P]; O(S P).

    A window ends with the newest observation and begins where the rate last changed: it is parted
    where the two parts differ most, as long as they surely differ. The step that a change falls
    into has some of both rates, so it is left out as soon as two more are there.
    """
    newest, least = len(times) - 1, settings.least_window
    growth = np.diff(log_ends, axis=0).astype(np.float64)
    valid = (log_ends[:-1] >= 0) & (growth >= 0)
    inside = int(np.searchsorted(times, times[newest] - settings.rate_window))
    earliest = max(0, min(inside, newest - 2))
    begin = np.maximum(_unbroken_since(valid), earliest)
    spread = _count_spread(growth, np.diff(times)[:, np.newaxis], valid, begin)
    columns, changed = np.arange(len(begin)), np.zeros(len(begin), dtype=np.bool_)
    while len(columns):
        parted, at = _change(times, log_ends[:, columns], begin[columns], spread[columns], least)
        columns = columns[parted]
        begin[columns], changed[columns] = at[parted], True
    shortest = max(0, _last_before(times, least))
    first = np.where(changed, np.minimum(begin + 1, shortest), begin)
    seconds = times[newest] - times[first]
    window = np.where(seconds >= least, seconds, np.nan)
    rate = (log_ends[newest] - log_ends[first, np.arange(len(first))]) / window
    variance = np.maximum(np.maximum(rate, spread), 1.0 / window)
    return ProduceRates(rate, np.sqrt(variance / window))


def _unbroken_since(valid: Flags) -> Ints:
    """[P] the observation since which all steps [S - 1, P] are valid."""
    back = np.concatenate([~valid[::-1], np.ones_like(valid[:1], shape=(1, valid.shape[1]))])
    since: Ints = len(valid) - back.argmax(axis=0)
    return since


def _count_spread(growth: Floats, seconds: Floats, valid: Flags, begin: Ints) -> Floats:
    """[P] the variance of the count in a second: the mean square of the differences between the
    rates of consecutive steps, by the length of the steps (von Neumann), as a change of rate shows
    in one difference only. 0 where nothing is known."""
    inside = valid & (np.arange(len(valid))[:, np.newaxis] >= begin)
    rate = np.where(inside, growth / seconds, np.nan)
    square = np.diff(rate, axis=0) ** 2 / (1.0 / seconds[1:] + 1.0 / seconds[:-1])
    square = square[: max(0, len(square) - WITHHELD)]
    known = ~np.isnan(square)
    spread: Floats = np.where(known, square, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return spread


def _change(
    times: Floats, log_ends: Ints, begin: Ints, spread: Floats, least: float
) -> tuple[Flags, Ints]:
    """[N] whether the windows of these columns are parted by a change, and where they are best."""
    best, at, every = np.full(len(begin), SURE), np.full(len(begin), -1), np.arange(len(begin))
    for split in range(SILENT_STEPS, _last_before(times, least) + 1):
        earlier_s = times[split] - times[np.minimum(begin, split)]
        known = (split - begin >= EARLIER_STEPS) & (earlier_s >= EARLIER_S)
        silent = (split - begin >= SILENT_STEPS) & (log_ends[split] == log_ends[begin, every])
        columns = np.flatnonzero(known | silent)
        middle = log_ends[split, columns].astype(np.float64)
        earlier = CountWindow(middle - log_ends[begin[columns], columns], earlier_s[columns])
        seconds = np.full(len(columns), times[-1] - times[split])
        newer = CountWindow(log_ends[-1, columns] - middle, seconds)
        score = change_score(earlier, newer, np.where(silent, 0.0, spread)[columns])
        relevant = np.abs(newer.rate - earlier.rate) >= RELEVANT * earlier.rate
        better = relevant & (score >= best[columns])
        best[columns[better]], at[columns[better]] = score[better], split
    return at >= 0, at


def _last_before(times: Floats, seconds: float) -> int:
    """The last observation that is so much older than the newest one; -1 if there is none."""
    return int(np.searchsorted(times, times[-1] - seconds, side="right")) - 1
