"""Samples of one group over time, in columns, and the steps between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Index, Ints


class OffsetSamples(NamedTuple):
    """S samples of P partitions in any order; every offset is -1 where it is unknown.

    Offsets stand for records: compacted logs and transactions have fewer records than offsets.
    """

    times: Floats
    """[S] seconds of any clock."""
    log_end: Ints
    """[S, P]"""
    committed: Ints
    """[S, P] -1 also without a commit."""
    holder: Index
    """[S, P] number of the member that holds the partition, or NOBODY."""
    n_members: int
    """Members are numbered from 0; one that holds nothing may have joined later or left."""
    log_start: Ints | None = None
    """[S, P] None if it was not read: then records that were deleted unread count as consumed."""

    def ordered(self) -> OffsetSamples:
        """Return the samples by ascending time; of several of one time, the last one given."""
        order = np.argsort(self.times, kind="stable")
        times = self.times[order]
        order = order[np.append(times[1:] != times[:-1], np.ones(min(1, len(times)), np.bool_))]
        return self._replace(
            times=self.times[order],
            log_end=self.log_end[order],
            committed=self.committed[order],
            holder=self.holder[order],
            log_start=None if self.log_start is None else self.log_start[order],
        )


class Steps(NamedTuple):
    """What offsets grew by from the sample before to each sample; N columns.

    Row 0 has no sample before it, and is always unknown.
    """

    growth: Floats
    """[S, N] offsets, 0 where `valid` is False."""
    seconds: Floats
    """[S, N] since the sample before; 0 where `valid` is False."""
    valid: Flags
    """[S, N] True if both ends of the step are known and contradict nothing."""
    broken: Flags
    """[S, N] True if both ends are known and the step is faulty: what is before it says nothing
    about what comes after."""


def steps_of(offsets: Ints, times: Floats, faulty: Flags | None = None) -> Steps:
    """Return the steps of each partition between consecutive samples that are known.

    A step is faulty if the offset decreased (a reset, a truncated log, a topic made anew), or
    where `faulty` [S, P] says so.
    """
    known = offsets >= 0
    before = previous_known(known)
    both = known & (before >= 0)
    earlier = np.take_along_axis(offsets, np.maximum(before, 0), axis=0)
    broken = both & (offsets < earlier)
    if faulty is not None:
        broken |= both & faulty
    valid = both & ~broken
    growth = np.where(valid, (offsets - earlier).astype(np.float64), 0.0)
    elapsed = times[:, None] - times[np.maximum(before, 0)]
    return Steps(growth, np.where(valid, elapsed, 0.0), valid, broken)


def previous_known(known: Flags) -> Ints:
    """[S, P] the last sample before each one that is known; -1 if there is none."""
    numbers = np.where(known, np.arange(len(known))[:, None], -1)
    latest = np.maximum.accumulate(numbers, axis=0) if len(known) else numbers
    return np.concatenate([np.full_like(latest[:1], -1), latest[:-1]])


def unread_deleted(samples: OffsetSamples) -> Flags | None:
    """[S, P] True where records after the commit before were deleted; None without log starts."""
    if samples.log_start is None:
        return None
    before = previous_known(samples.committed >= 0)
    earlier = np.take_along_axis(samples.committed, np.maximum(before, 0), axis=0)
    deleted: Flags = (before >= 0) & (earlier < samples.log_start)
    return deleted


def lags_of(samples: OffsetSamples) -> Floats:
    """[S, P] log end minus commit, 0 for a commit above the log end and where either is unknown."""
    known = (samples.log_end >= 0) & (samples.committed >= 0)
    lag: Floats = np.where(known, samples.log_end - samples.committed, 0).astype(np.float64)
    return np.maximum(lag, 0.0)
