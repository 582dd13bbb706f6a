"""Small random groups for the fluid model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equilag.domain.columns import Floats
from equilag.planner.simulation.fluid_run import Schedule
from equilag.planner.simulation.fluid_state import Conditions


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
