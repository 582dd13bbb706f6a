"""Small random groups for the fluid model, and what it is held against.

`lags_by_events` is the model event by event.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equilag.domain.columns import Floats
from equilag.planner.simulation.fluid import Conditions, Schedule


def random_conditions(rng: np.random.Generator, n_members: int, n_partitions: int) -> Conditions:
    """Some partitions without a rate or an owner, some members that stand still or are too slow."""
    rate = np.where(rng.random(n_partitions) < 0.2, 0.0, rng.integers(0, 10, n_partitions))
    capacity = np.where(rng.random(n_members) < 0.2, 0.0, 25 * rng.random(n_members))
    owner = rng.integers(-1, n_members, n_partitions).astype(np.int32)
    return Conditions(rate, capacity, owner)


def random_runs(seed: int, number: int) -> Iterator[tuple[Floats, Schedule]]:
    """Lags, and conditions that change after 2 and after 5 seconds."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        n_members, n_partitions = int(rng.integers(1, 4)), int(rng.integers(1, 8))
        lag = np.where(rng.random(n_partitions) < 0.5, 0.0, rng.integers(0, 50, n_partitions))
        yield lag, [(at, random_conditions(rng, n_members, n_partitions)) for at in (0.0, 2.0, 5.0)]


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
