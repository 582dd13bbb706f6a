"""Windows in which a member had a backlog all along, and its speed in each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.member_samples import MemberSamples
from equilag.domain.columns import Flags, Floats, Ints

WINDOW_S: Final = 30.0
"""Seconds after which a new window begins: six commits at the default interval of 5 s. The time of
a commit is known up to the time between two samples, which is a few percent of that."""


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


def windows_of(
    times: Floats, members: MemberSamples, member: int, length: float = WINDOW_S
) -> BacklogWindows:
    """Return the windows between commits in which the member was proved to have a backlog.

    An *interval* lies between two consecutive samples in which the member's commits were seen to
    grow. It counts if all its steps are valid, and if in each two consecutive samples, from the one
    before the first commit to the one before the second, the same partition has a proved backlog.
    Consecutive intervals that count are a chain.

    The time of both commits is known up to the time between two samples, as a uniform
    distribution; the records are a count. Both are in the error. A new window begins every
    `length` seconds.
    """
    growth = members.steps.growth[:, member]
    bounds = np.array([*_windows(times, members, member, length)], dtype=np.int64).reshape(-1, 2)
    begin, end = bounds.T
    done = np.cumsum(growth)
    seconds, records = times[end] - times[begin], done[end] - done[begin]
    apart = np.hypot(times[begin] - times[begin - 1], times[end] - times[end - 1])
    relative = np.hypot(apart / np.sqrt(12) / seconds, 1 / np.sqrt(records))
    speed = records / seconds
    return BacklogWindows(seconds, speed, speed * relative, times[end])


def _windows(
    times: Floats, members: MemberSamples, member: int, length: float
) -> Iterator[tuple[int, int]]:
    """Yield the first and the last sample of each window.

    A chain is cut at the first commit in each slot of `length` since its beginning. Slots, unlike
    lengths that are added up, are simple to compute in SQL.
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
        elif (now := (times[first] - origin) // length) > slot:
            yield begin, first
            begin, slot = first, now
    if begin >= 0:
        yield begin, commits[-1]


def _count(flags: Flags) -> Ints:
    """[S + 1] how many of the first s flags are True."""
    return np.concatenate([[0], np.cumsum(flags)])
