"""The fluid model event by event: who reads how fast until the next partition is read."""

from __future__ import annotations

from equilag.planner.simulation.fluid_run import Schedule
from equilag.planner.simulation.fluid_state import Conditions


def reading_speeds(backlog: list[bool], rates: list[float], capacity: float) -> list[float]:
    """Records per second that one member reads of each of its partitions: an equal share of each
    with a backlog, the rate of the others up to that share."""
    speeds, left, rest = [0.0] * len(rates), capacity, set(range(len(rates)))
    while rest:
        share = left / len(rest)
        small = {p for p in rest if not backlog[p] and rates[p] <= share}
        if not small:
            return [share if p in rest else speed for p, speed in enumerate(speeds)]
        for p in small:
            speeds[p] = rates[p]
            left -= rates[p]
        rest -= small
    return speeds


def growths(lag: list[float], conditions: Conditions) -> list[float]:
    """Records per second by which the lag of each partition grows right now."""
    found = [float(rate) for rate in conditions.rate]
    for member, capacity in enumerate(conditions.capacity.tolist()):
        held = [p for p in range(len(lag)) if conditions.owner[p] == member]
        speeds = reading_speeds([lag[p] > 0 for p in held], [found[p] for p in held], capacity)
        for p, speed in zip(held, speeds, strict=True):
            found[p] -= speed
    return found


def lags_by_events(lag: list[float], schedule: Schedule, until: float) -> list[float]:
    """The lag of each partition at a time."""
    lag, now = list(lag), schedule[0][0]
    ends = [*(start for start, _ in schedule[1:]), float("inf")]
    for end, (_, conditions) in zip(ends, schedule, strict=True):
        while now < (stop := min(end, until)):
            growth = growths(lag, conditions)
            read = [-x / g for x, g in zip(lag, growth, strict=True) if x > 0 and g < -1e-12]
            step = min([stop - now, *read])
            now = stop if step >= stop - now else now + step
            lag = [x + g * step for x, g in zip(lag, growth, strict=True)]
            lag = [0.0 if x < 1e-9 else x for x in lag]
    return lag
