"""Capacities of members: what they consumed per second while they had a backlog all along; and what
to plan with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.offset_samples import MemberSamples, OffsetSamples, member_samples
from equilag.adapters.measuring.rates import (
    Estimates,
    estimates_of,
    produce_rates,
    rates_between_commits,
)
from equilag.domain.columns import Flags, Floats, Ints, Marks

WINDOW_S: Final = 30.0
"""Seconds after which a new window begins: six commits at the default interval of 5 s. The time of
a commit is known up to the time between two samples, which is a few percent of that."""


_DIGITS: Final = 6
"""Of differences of times in seconds, which may otherwise be just below their true value."""


class BacklogWindows(NamedTuple):
    """The windows of one member, oldest first; W of them."""

    seconds: Floats
    """[W] above 0."""
    speed: Floats
    """[W] records per second."""
    error: Floats
    """[W] standard error of the speed, records per second."""
    until: Floats
    """[W] time of the last commit."""

    def part(self, chosen: Ints | slice) -> BacklogWindows:
        """Return some of the windows."""
        return BacklogWindows(*(column[chosen] for column in self))


def windows_of(times: Floats, members: MemberSamples, member: int) -> BacklogWindows:
    """Return the windows between commits in which the member was proved to have a backlog.

    An *interval* lies between two consecutive samples in which the member's commits were seen to
    grow. It counts if all its steps are valid, and if in each two consecutive samples, from the one
    before the first commit to the one before the second, the same partition has a proved backlog.
    Consecutive intervals that count are a chain.

    The time of both commits is known up to the time between two samples, as a uniform
    distribution; the records are a count. Both are in the error. A new window begins every
    WINDOW_S seconds.
    """
    growth = members.steps.growth[:, member]
    bounds = np.array([*_windows(times, members, member)], dtype=np.int64).reshape(-1, 2)
    begin, end = bounds.T
    done = np.cumsum(growth)
    seconds, records = np.round(times[end] - times[begin], _DIGITS), done[end] - done[begin]
    apart = np.hypot(times[begin] - times[begin - 1], times[end] - times[end - 1])
    relative = np.hypot(apart / np.sqrt(12) / seconds, 1 / np.sqrt(records))
    speed = records / seconds
    return BacklogWindows(seconds, speed, speed * relative, times[end])


def _windows(times: Floats, members: MemberSamples, member: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last sample of each window.

    A chain is cut at the first commit in each slot of WINDOW_S since its beginning.
    """
    faults = _count(~members.steps.valid[:, member])
    unproved = _count(~members.stays_behind[:, member])
    begin, origin, slot = -1, 0.0, 0.0
    commits = np.flatnonzero(members.steps.growth[:, member] > 0).tolist()
    for first, last in pairwise(commits):
        if faults[last + 1] > faults[first] or unproved[last - 1] > unproved[first - 1]:
            if begin >= 0:
                yield begin, first
            begin = -1
            continue
        if begin < 0:
            begin, origin, slot = first, float(times[first]), 0.0
        elif (now := round(times[first] - origin, _DIGITS) // WINDOW_S) > slot:
            yield begin, first
            begin, slot = first, now
    if begin >= 0:
        yield begin, commits[-1]


def _count(flags: Flags) -> Ints:
    """[S + 1] how many of the first s flags are True."""
    return np.concatenate([[0], np.cumsum(flags)])


RECENT: Final = 5
"""Windows that a capacity is the median of: three of them, some 90 s, show a new speed, and two odd
ones do no harm."""
MIN_WINDOW_S: Final = WINDOW_S / 2
"""Shorter windows, such as the rest of a chain, count only where there is no longer one."""
SHORTEST_S: Final = 4.0
"""Shorter windows never count: a sampling period of a second is too large a part of them. An
interval of automatic commits, 5 s, is above that, however it falls between samples."""

KNOWN, NO_PARTITIONS, FEW_COMMITS, NO_BACKLOG, NOT_ALL_ALONG = map(np.uint8, range(5))
"""Why a capacity is unknown: the member never held a partition; fewer than two commits were seen,
although it had lag or nobody knows its lag; it never had a proved backlog; it had one, but not all
along from one commit to the next with the same partitions."""


class Capacities(NamedTuple):
    """Capacities of M members."""

    estimates: Estimates
    reason: Marks
    """[M] KNOWN, or why the capacity is unknown."""


def capacities_of(times: Floats, members: MemberSamples) -> Capacities:
    """Return the capacity of each member; `times` [S] are seconds, ascending.

    It is the median speed of the windows that count. Its standard error is that of a mean of these
    speeds, from their own errors or from how much they differ, whichever is larger.
    """
    reason = _reasons(members)
    found = estimates_of(*np.zeros((3, len(reason))))
    for member in np.flatnonzero(reason == NOT_ALL_ALONG).tolist():
        capacity = capacity_of(windows_of(times, members, member))
        if capacity is not None:
            found.value[member], found.error[member] = capacity.value, capacity.error
            found.window[member] = capacity.seconds
            reason[member] = KNOWN
    return Capacities(found, reason)


class Capacity(NamedTuple):
    """A capacity and its standard error in records per second, and what it rests on."""

    value: float
    error: float
    windows: int
    seconds: float


def capacity_of(windows: BacklogWindows) -> Capacity | None:
    """Return the median speed of the windows that count; None without any."""
    windows = counted(windows)
    number = len(windows.seconds)
    if not number:
        return None
    spread = max(float(np.std(windows.speed)), float(np.sqrt(np.mean(windows.error**2))))
    value, seconds = float(np.median(windows.speed)), float(windows.seconds.sum())
    return Capacity(value, spread / float(np.sqrt(number)), number, seconds)


def counted(windows: BacklogWindows) -> BacklogWindows:
    """Return the most recent `RECENT` windows of at least `MIN_WINDOW_S`; without any, the longest
    window of at least `SHORTEST_S`, the most recent of several."""
    longest = max(SHORTEST_S, windows.seconds.max(initial=0.0))
    chosen = np.flatnonzero(windows.seconds >= MIN_WINDOW_S)[-RECENT:]
    if not len(chosen):
        chosen = np.flatnonzero(windows.seconds >= longest)[-1:]
    return windows.part(chosen)


def _reasons(members: MemberSamples) -> Marks:
    """[M] why a capacity is unknown; NOT_ALL_ALONG also where it may yet be found."""
    commits = (members.steps.growth > 0).sum(axis=0)
    reason = np.full(len(commits), NOT_ALL_ALONG)
    reason[~members.behind.any(axis=0)] = NO_BACKLOG
    caught_up = members.known.any(axis=0) & ~(members.lag > 0).any(axis=0)
    reason[(commits < 2) & ~caught_up] = FEW_COMMITS
    reason[~members.holds.any(axis=0)] = NO_PARTITIONS
    return reason


class Measurements(NamedTuple):
    """What was measured of P partitions and M members."""

    produced: Estimates
    """[P]"""
    consumed_by: Estimates
    """[M] while the member held the same partitions."""
    capacities: Capacities
    """[M]"""


def measure(samples: OffsetSamples) -> Measurements:
    """Return rates and capacities from samples in any order; see the functions for definitions."""
    samples = samples.ordered()
    members = member_samples(samples)
    return Measurements(
        produce_rates(samples),
        rates_between_commits(members.steps, members.lag.max(axis=0, initial=0.0)),
        capacities_of(samples.times, members),
    )


ALIKE: Final = 1.1
"""Speeds up to this much apart count as one: measured ones are sure to some per cent, and a plan
that balances counts by them would move partitions for nothing."""


def usable_capacities(measured: Measurements) -> Floats:
    """[M] records per second; NaN where nothing is known.

    A member of unknown speed gets what it consumes, where that surely exceeds the median of the
    known speeds, which a plan would take for it. Speeds within 10 % of each other become one, their
    median.
    """
    value = measured.capacities.estimates.value.copy()
    faster = surely_faster(measured)
    value[faster] = measured.consumed_by.value[faster]
    return joined_speeds(value)


def surely_faster(measured: Measurements) -> Flags:
    """[M] True for members of unknown speed that consume more than the median of the known ones."""
    speeds, consumed = measured.capacities.estimates, measured.consumed_by
    unknown = np.isnan(speeds.value)
    if unknown.all():
        return np.zeros(len(unknown), dtype=np.bool_)
    more: Flags = consumed.value - consumed.error > np.nanmedian(speeds.value)
    return unknown & more


def joined_speeds(value: Floats, alike: float = ALIKE) -> Floats:
    """[M] each speed as the median of those that are at most `alike` times the slowest of them,
    taken together from the slowest on; NaN stays."""
    joined = value.copy()
    order = np.argsort(value, kind="stable")[: np.count_nonzero(~np.isnan(value))]
    begin = 0
    while begin < len(order):
        end = int(np.searchsorted(value[order], alike * value[order[begin]], side="right"))
        joined[order[begin:end]] = np.median(value[order[begin:end]])
        begin = end
    return joined
