"""Figures of one group of a load scenario, from what was seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from benchmarks.live.assignment_log import Event, Log
from benchmarks.live.load_schedule import Phase, rates_at
from equilag.domain.columns import Floats

_PAUSE_S: Final = 8.0
"""Longer pauses between assignments separate two rebalances: the two rounds of a cooperative one
are a heartbeat of 3 s apart, and a member may be late by another one."""
MINUTE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Seen:
    """Of one group; times are seconds since the traffic began, which was at `began` (since 1970).
    Samples [S], records [R]."""

    began: float
    measured_from: float
    seconds: float
    at: Floats
    """[S]"""
    lag: Floats
    """[S] records produced and not processed."""
    ended: Floats
    """[R] when each record was processed."""
    delays: Floats
    """[R] seconds from producing it."""
    unread_ages: Floats
    """Of the records that are unread at the end: seconds since they were produced."""
    log: Log
    cpu_s: float
    """CPU time of the steward."""


def figures_of(seen: Seen) -> dict[str, Any]:
    """Return the figures as JSON values."""
    late = seen.at >= seen.measured_from
    counted = seen.delays[(seen.ended >= seen.measured_from) & (seen.ended <= seen.seconds)]
    delays = np.concatenate([counted, seen.unread_ages])
    changes = changes_of(seen.log.events, seen.began)
    gaps = [
        end - begin
        for each in seen.log.gaps().values()
        for begin, end in each
        if begin >= seen.began and begin < seen.began + seen.seconds
    ]
    p50, p99 = (float(np.percentile(delays, share)) for share in (50, 99))
    return {
        "lag_mean": round(float(seen.lag[late].mean()), 1),
        "lag_max": round(float(seen.lag[late].max())),
        "lag_by_minute": by_minute(seen.at, seen.lag),
        "delay_p50_s": round(p50, 2),
        "delay_p99_s": round(p99, 2),
        "delay_max_s": round(float(delays.max()), 2),
        "records": len(seen.delays),
        "rebalances": [
            {"at_s": round(at, 1), "moves": moves} for at, moves in changes if at < seen.seconds
        ],
        "unowned_partition_s": round(float(sum(gaps)), 1),
        "two_owners": len(seen.log.twice()),
        "steward_cpu_percent": round(100.0 * seen.cpu_s / seen.seconds, 2),
    }


def by_minute(at: Floats, lag: Floats) -> list[float]:
    """Return the mean lag of each minute."""
    minutes = (at // MINUTE_S).astype(np.int64)
    return [round(float(lag[minutes == one].mean()), 1) for one in np.unique(minutes)]


def changes_of(events: Sequence[Event], began: float) -> list[tuple[float, int]]:
    """Return each rebalance in which partitions changed hands: when its first partition arrived, in
    seconds after `began`, and how many did."""
    owner: dict[tuple[str, int], str] = {}
    arrivals: list[float] = []
    for event in events:
        if event.what != "assign":
            continue
        for partition in event.partitions:
            if owner.get(partition) != event.member and event.at >= began:
                arrivals.append(event.at - began)
            owner[partition] = event.member
    found: list[tuple[float, int]] = []
    last = -_PAUSE_S
    for at in arrivals:
        if at - last >= _PAUSE_S:
            found.append((at, 0))
        first, moves = found[-1]
        found[-1] = first, moves + 1
        last = at
    return found


@dataclass(frozen=True, slots=True)
class ProcessRates:
    """From second `at` on, processes hold partitions with these `rates` [N] in all; `mean` is that
    of all partitions, also of those that nobody holds."""

    at: float
    rates: Floats
    mean: float

    @property
    def deviation(self) -> float:
        """How far the worst process is from the mean, as a share of it."""
        return float(np.abs(self.rates / self.mean - 1.0).max())


def process_rates(
    events: Sequence[Event], phases: list[Phase], process_of: dict[str, int], began: float
) -> list[ProcessRates]:
    """Return the true rates of the processes after each change of owners or rates, from the
    beginning of the traffic on. A partition without an owner counts for nobody."""
    times = sorted({0.0, *(phase.start for phase in phases), *(e.at - began for e in events)})
    left = sorted(events, key=lambda event: event.at)
    owner: dict[int, int] = {}
    found = []
    for at in times:
        while left and left[0].at - began <= at:
            event = left.pop(0)
            for _, partition in event.partitions:
                if event.what == "assign":
                    owner[partition] = process_of[event.member]
                else:
                    owner.pop(partition, None)
        if at >= 0.0:
            truth = rates_at(phases, at)
            rates = np.zeros(max(process_of.values()) + 1)
            for partition, process in owner.items():
                rates[process] += truth[partition]
            found.append(ProcessRates(at, rates, float(truth.sum()) / len(rates)))
    return found


def settled_after(
    rates: Sequence[ProcessRates], begin: float, end: float, share: float
) -> float | None:
    """Return the seconds from `begin` until all processes are within `share` of their mean and stay
    there until `end`; None if they are not at the end."""
    settled: float | None = None
    for one in rates:
        if not begin <= one.at < end:
            continue
        if one.deviation > share:
            settled = None
        elif settled is None:
            settled = one.at - begin
    return settled
