"""When which record is produced: cumulative counts in slots of time, made before a run."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Floats, Ints

SLOT_S: Final = 0.1
"""Seconds of a slot: records of one slot are produced together, so that delays are off by no more
than this."""


class Phase(NamedTuple):
    """From `start` (seconds) on, partitions get `rates` [P] records per second."""

    start: float
    rates: Floats


def rates_at(phases: list[Phase], second: float) -> Floats:
    """Return the rates [P] in force; the first phase starts at 0."""
    return next(phase.rates for phase in reversed(phases) if phase.start <= second)


def schedule_of(phases: list[Phase], seconds: float, seed: int | None) -> Ints:
    """Return [slots + 1, P] the records due by the beginning of each slot.

    With a seed arrivals are a Poisson process, as those of many independent producers; without one
    they come at regular intervals.
    """
    slots = round(seconds / SLOT_S)
    means = np.array([rates_at(phases, (slot + 0.5) * SLOT_S) * SLOT_S for slot in range(slots)])
    if seed is None:
        due = np.floor(np.cumsum(means, axis=0) + 1e-9).astype(np.int64)
    else:
        due = np.cumsum(np.random.default_rng(seed).poisson(means), axis=0).astype(np.int64)
    return np.vstack([np.zeros((1, due.shape[1]), np.int64), due])


def due_at(schedule: Ints, second: float) -> Ints:
    """Return [P] the records due; the last count holds for ever."""
    due: Ints = schedule[min(int(second / SLOT_S), len(schedule) - 1)]
    return due


def unread_ages(schedule: Ints, read: Ints, second: float) -> Floats:
    """Return how long ago each record was due that is due at `second` and not in `read` [P]."""
    due = due_at(schedule, second)
    ages = []
    for partition in np.flatnonzero(due > read).tolist():
        records = np.arange(read[partition], due[partition])
        slots = np.searchsorted(schedule[:, partition], records, side="right")
        ages.append(second - slots * SLOT_S)
    return np.concatenate(ages) if ages else np.zeros(0)
