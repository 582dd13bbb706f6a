"""Estimates, and rates of producing and of consuming, in records per second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples, Steps, steps_of
from equilag.domain.columns import Floats


class Estimates(NamedTuple):
    """One figure in records per second for each of N partitions or members."""

    value: Floats
    """[N] 0 or more; NaN where it is unknown."""
    error: Floats
    """[N] standard error, records per second; NaN where the value is unknown."""
    window: Floats
    """[N] seconds that the value rests on; 0 where it is unknown."""

    @property
    def n_known(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.value)))


def estimates_of(records: Floats, window: Floats, error: Floats) -> Estimates:
    """Return records / window; unknown where the window is 0. `error` is in records."""
    seconds = np.where(window > 0, window, np.nan)
    return Estimates(records / seconds, error / seconds, np.maximum(window, 0.0))


def produce_rates(samples: OffsetSamples) -> Estimates:
    """Return the growth of each partition's log end per second, over the steps that are valid.

    The standard error is that of a count: the root of the number of records.
    """
    steps = steps_of(samples.log_end, samples.times)
    records = steps.growth.sum(axis=0)
    error = np.sqrt(np.maximum(records, 1.0))
    return estimates_of(records, steps.seconds.sum(axis=0), error)


def rates_between_commits(steps: Steps, lag: Floats) -> Estimates:
    """Return the growth of commits per second [N]; `lag` [N] is the largest lag seen, in records.

    Commits are made at intervals (by default every 5 s), so that an offset is flat and then jumps.
    So the rate is taken from the first commit seen to the last one. All samples before the first
    and after the last commit count too, as far as they are silent for longer than any time between
    two commits. Its standard error has two parts: the count, and the time of the first and the last
    commit, each of which is known up to the time between two samples, as a uniform distribution.

    With fewer than two commits it is the growth over all the time, and its standard error is what
    may be missing: the growth, or the largest lag.
    """
    grown, between, longest = _commits_of(steps)
    total, number = steps.seconds.sum(axis=0), steps.valid.sum(axis=0)
    several = between > 0
    silent = np.maximum(0.0, total - between - 2 * longest)
    window = np.where(several, between + silent, total)
    records = np.where(several, grown, steps.growth.sum(axis=0))
    apart = total / np.maximum(number, 1)
    timing = records * apart / np.sqrt(6) / np.where(several, window, 1.0)
    counting = np.sqrt(np.maximum(records, 1.0))
    error = np.where(several, np.hypot(timing, counting), np.maximum(np.maximum(records, lag), 1.0))
    return estimates_of(records, window, error)


def _commits_of(steps: Steps) -> tuple[Floats, Floats, Floats]:
    """[N] records from the first commit seen of each unbroken run to its last one, the seconds
    between these, and the longest time between two consecutive ones."""
    columns = steps.growth.shape[1]
    records, seconds, longest = np.zeros(columns), np.zeros(columns), np.zeros(columns)
    since = np.full(columns, np.nan)
    """Seconds since the last commit of the run; NaN before the first."""
    for growth, elapsed, broken in zip(steps.growth, steps.seconds, steps.broken, strict=True):
        since[broken] = np.nan
        since += elapsed
        commit = growth > 0
        counted = commit & ~np.isnan(since)
        records[counted] += growth[counted]
        seconds[counted] += since[counted]
        longest[counted] = np.maximum(longest[counted], since[counted])
        since[commit] = 0.0
    return records, seconds, longest
