"""Capacities of members: what they consumed per second while they had a backlog all along."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.backlog_windows import WINDOW_S, BacklogWindows, windows_of
from equilag.adapters.measuring.estimates import Estimates, unknown_estimates
from equilag.adapters.measuring.member_samples import MemberSamples
from equilag.domain.columns import Floats, Marks

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
    found = unknown_estimates(len(reason))
    for member in np.flatnonzero(reason == NOT_ALL_ALONG).tolist():
        windows = counted(windows_of(times, members, member))
        if not len(windows.seconds):
            continue
        number = len(windows.seconds)
        spread = max(float(np.std(windows.speed)), float(np.sqrt(np.mean(windows.error**2))))
        found.value[member] = np.median(windows.speed)
        found.error[member] = spread / np.sqrt(number)
        found.window[member] = windows.seconds.sum()
        found.samples[member] = number
        reason[member] = KNOWN
    return Capacities(found, reason)


def counted(windows: BacklogWindows) -> BacklogWindows:
    """Return the most recent `RECENT` windows of at least `MIN_WINDOW_S`; without any, the longest
    window of at least `SHORTEST_S`, the most recent of several."""
    longest = max(SHORTEST_S, windows.seconds.max(initial=0.0))
    chosen = np.flatnonzero(windows.seconds >= MIN_WINDOW_S)[-RECENT:]
    if not len(chosen):
        chosen = np.flatnonzero(windows.seconds >= longest)[-1:]
    return BacklogWindows(*(column[chosen] for column in windows))


def _reasons(members: MemberSamples) -> Marks:
    """[M] why a capacity is unknown; NOT_ALL_ALONG also where it may yet be found."""
    commits = (members.steps.growth > 0).sum(axis=0)
    reason = np.full(len(commits), NOT_ALL_ALONG)
    reason[~members.behind.any(axis=0)] = NO_BACKLOG
    caught_up = members.known.any(axis=0) & ~(members.lag > 0).any(axis=0)
    reason[(commits < 2) & ~caught_up] = FEW_COMMITS
    reason[~members.holds.any(axis=0)] = NO_PARTITIONS
    return reason
