"""The fluid model beside consumers that read one record after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from support.fluid_groups import RecordRun, arrivals, read_one_by_one

from equilag.domain.columns import Floats
from equilag.domain.plan.metrics import member_sums
from equilag.planner.simulation.fluid import Conditions, FluidState, Schedule, states_at

TIMES = (0.5, 2.0, 5.0, 10.0)


class Beside(NamedTuple):
    """The same group as a fluid and record by record, at one moment."""

    conditions: Conditions
    fluid: FluidState
    records: RecordRun


def both(seed: int, number: int, *, poisson: bool, batch: int, pause: float) -> Iterator[Beside]:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        n_members, n_partitions = int(rng.integers(1, 4)), int(rng.integers(1, 9))
        rate = np.where(rng.random(n_partitions) < 0.2, 0.0, rng.lognormal(2, 1, n_partitions))
        lag = np.where(rng.random(n_partitions) < 0.5, 0, rng.integers(0, 80, n_partitions))
        owner = rng.integers(0, n_members, n_partitions).astype(np.int32)
        capacity = 5 + member_sums(rate, owner, n_members) * rng.uniform(0.5, 1.8, n_members)
        held = Conditions(rate, capacity, owner)
        schedule: Schedule = [(0.0, held)]
        if pause:
            still = held._replace(capacity=np.zeros(n_members))
            schedule = [(0.0, still), (pause, held)]
        came = arrivals(lag, rate, TIMES[-1], rng, poisson=poisson)
        records = read_one_by_one(came, held, TIMES[-1], batch=batch, pause=pause)
        state = FluidState.start(lag.astype(np.float64), rate)
        for found in states_at(state, schedule, TIMES):
            yield Beside(held, found, records)


def uneven(records: RecordRun, rate: Floats, until: float) -> Floats:
    """[P] how far the number of records that came was ever from rate × time."""
    found = []
    for came, speed in zip(records.came, rate.tolist(), strict=True):
        later = came[(came > 0) & (came <= until)]
        place = np.arange(1, len(later) + 1)
        ahead, before = np.abs(place - speed * later), np.abs(place - 1 - speed * later)
        last = abs(len(later) - speed * until)
        found.append(max(ahead.max(initial=0.0), before.max(initial=0.0), last))
    return np.array(found)


@pytest.mark.parametrize("poisson", [False, True])
@pytest.mark.parametrize("batch", [1, 20])
def test_total_lag_is_within_what_single_records_explain(poisson: bool, batch: int) -> None:
    """A queue is a function of what came that grows by at most twice a difference in it; a record
    that is being read is one more, at the moment and when the pause ends."""
    for pause in (0.0, 1.5):
        for held, fluid, records in both(1, 60, poisson=poisson, batch=batch, pause=pause):
            n_members = held.n_members
            lags = member_sums(records.lag(fluid.time), held.owner, n_members)
            off = member_sums(uneven(records, held.rate, fluid.time), held.owner, n_members)
            held_lags = member_sums(fluid.lag, held.owner, n_members)
            assert (np.abs(lags - held_lags) <= 2 * off + 2).all()


def test_the_lag_of_each_partition_follows_round_robin() -> None:
    """Shares are equal up to a turn of each partition, in each of the times that a partition gets
    empty."""
    for held, fluid, records in both(2, 150, poisson=False, batch=1, pause=0.0):
        held_by = np.bincount(held.owner, minlength=held.n_members)
        off = np.abs(records.lag(fluid.time) - fluid.lag)
        assert (off <= 2 * held_by[held.owner] + 2).all()


def test_ages_follow_from_lags() -> None:
    for held, fluid, records in both(3, 150, poisson=False, batch=1, pause=0.5):
        off = np.abs(records.lag(fluid.time) - fluid.lag) + 1
        some = held.rate > 0
        ages = np.abs(records.age(fluid.time) - fluid.age())
        assert (ages[some] <= off[some] / held.rate[some] + 1e-9).all()
