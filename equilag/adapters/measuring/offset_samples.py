"""Samples of one group over time, in columns, and the steps between them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Floats, Index, Ints


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


def steps_of(offsets: Ints, times: Floats) -> Steps:
    """Return the steps of each partition between consecutive samples that are known.

    A step is faulty if the offset decreased (a reset, a truncated log, a topic made anew).
    """
    known = offsets >= 0
    before = previous_known(known)
    both = known & (before >= 0)
    earlier = np.take_along_axis(offsets, np.maximum(before, 0), axis=0)
    broken = both & (offsets < earlier)
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


CLOSE_S: Final = 10.0
"""Twice the default interval of automatic commits."""

SLOW_S: Final = 20.0
"""A poll of 10 s, and one before it that had to be processed; slower members are rare."""


class MemberSamples(NamedTuple):
    """S samples of M members; the sums are over the partitions that a member holds."""

    steps: Steps
    """[S, M] of committed offsets. A step is valid if the member holds the same partitions, one or
    more, in both samples, the same of them have known offsets, and none is faulty."""
    lag: Floats
    """[S, M] records."""
    behind: Flags
    """[S, M] True if a partition of the member had a proved backlog, see `proved_backlog`."""
    stays_behind: Flags
    """[S, M] True if the same partition has one in the next sample too."""
    holds: Flags
    """[S, M] True if the member holds a partition."""
    known: Flags
    """[S, M] True if it holds one with known offsets."""


def member_samples(samples: OffsetSamples, commit_s: float = 0.0) -> MemberSamples:
    """Return the sums by member. `samples` must be in order; for `commit_s` see
    `proved_backlog`."""
    known = (samples.log_end >= 0) & (samples.committed >= 0)
    growth, wrong = _partition_steps(samples, known)
    held = samples.holder != NOBODY
    number = _by_holder(samples, held)
    broken = _by_holder(samples, held & wrong) > 0
    # A partition that leaves is missing at the member that had it before.
    broken[1:] |= number[1:] != number[:-1]
    valid = ~broken & (number > 0)
    valid[:1] = False
    records = _by_holder(samples, held, growth)
    behind = held & proved_backlog(samples, commit_s)
    stays = np.zeros_like(behind)
    stays[:-1] = behind[:-1] & behind[1:] & (samples.holder[:-1] == samples.holder[1:])
    elapsed = np.diff(samples.times, prepend=samples.times[:1])[:, None]
    steps = Steps(np.where(valid, records, 0.0), np.where(valid, elapsed, 0.0), valid, ~valid)
    return MemberSamples(
        steps,
        _by_holder(samples, held, lags_of(samples)),
        _by_holder(samples, behind) > 0,
        _by_holder(samples, stays) > 0,
        number > 0,
        _by_holder(samples, held & known) > 0,
    )


def proved_backlog(samples: OffsetSamples, commit_s: float = 0.0) -> Flags:
    """[S, P] True if the log end of the sample before is above the next other commit of the same
    holder.

    What a member has consumed by the time of a sample, it has committed by its next commit at the
    latest. So a log end above that commit proves that there was more to read, whatever the interval
    of commits is. The lag alone proves nothing: it contains what was consumed since the last
    commit. Without a later commit there is no proof.

    It is the log end of the sample before, because members that keep up have not read the very last
    records either: where samples come right before commits, each of them would show these. Samples
    more than `CLOSE_S` apart are not in step with commits, so their own log end counts. Where
    commits come every `commit_s` seconds and that is longer than `CLOSE_S`, members may poll so
    slowly that a commit is as old as that: then it is the log end of so long before, at most of
    `SLOW_S`.
    """
    close = np.diff(samples.times, prepend=-np.inf)[:, None] <= CLOSE_S
    same = samples.holder[1:] == samples.holder[:-1]
    earlier = np.where(same, samples.log_end[:-1], -1)
    log_end = samples.log_end.copy()
    log_end[1:] = np.where(close[1:], earlier, samples.log_end[1:])
    if commit_s > CLOSE_S:
        begin = samples.times - min(commit_s, SLOW_S)
        before = np.searchsorted(samples.times, begin, side="right") - 1
        same = (before >= 0)[:, None] & (samples.holder[before] == samples.holder)
        log_end = np.where(same, samples.log_end[before], -1)
    following = np.full_like(samples.committed, -1)
    for at in range(len(following) - 2, -1, -1):
        later, now = samples.committed[at + 1], samples.committed[at]
        held = samples.holder[at + 1] == samples.holder[at]
        changed = (later >= 0) & (later != now)
        following[at] = np.where(held, np.where(changed, later, following[at + 1]), -1)
    known = (samples.committed >= 0) & (following > samples.committed)
    proved: Flags = known & (log_end > following)
    return proved


def _partition_steps(samples: OffsetSamples, known: Flags) -> tuple[Floats, Flags]:
    """[S, P] growth of commits since the sample before, and True where it says nothing: another
    holder, an offset that appeared, disappeared or decreased, records that were deleted unread."""
    committed, log_end = samples.committed, samples.log_end
    growth = np.diff(committed, axis=0, prepend=committed[:1])
    wrong = np.zeros(known.shape, np.bool_)
    wrong[1:] = (samples.holder[1:] != samples.holder[:-1]) | (known[1:] != known[:-1])
    both = known[1:] & known[:-1]
    wrong[1:] |= both & ((growth[1:] < 0) | (log_end[1:] < log_end[:-1]))
    deleted = unread_deleted(samples)
    if deleted is not None:
        wrong[1:] |= both & deleted[1:]
    return np.where(known & ~wrong, growth, 0).astype(np.float64), wrong


def _by_holder(samples: OffsetSamples, where: Flags, weights: Floats | None = None) -> Floats:
    """[S, M] the number, or the sum of the weights, of the partitions `where` [S, P] is True."""
    n_samples, members = len(samples.holder), samples.n_members
    rows, columns = np.nonzero(where)
    places = rows * members + samples.holder[rows, columns]
    given = None if weights is None else weights[rows, columns]
    sums = np.bincount(places, given, minlength=n_samples * members)
    return sums.astype(np.float64).reshape(n_samples, members)
