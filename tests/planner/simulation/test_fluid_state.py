from __future__ import annotations

import numpy as np
import pytest
from support.fluid_groups import random_runs
from support.lag_events import lags_by_events

from equilag.domain.columns import Floats
from equilag.planner.simulation.fluid_run import states_at
from equilag.planner.simulation.fluid_state import Conditions, FluidState

TIMES = (0.0, 0.7, 2.0, 3.1, 6.0, 25.0)


def conditions(rate: list[float], capacity: list[float], owner: list[int]) -> Conditions:
    return Conditions(np.array(rate), np.array(capacity), np.array(owner, dtype=np.int32))


def start(lag: list[float], rate: list[float]) -> FluidState:
    return FluidState.start(np.array(lag), np.array(rate))


def test_lags_are_those_of_a_simulation_by_events() -> None:
    for lag, schedule in random_runs(3, 300):
        state = FluidState.start(lag, schedule[0][1].rate)
        for time, found in zip(TIMES, states_at(state, schedule, TIMES), strict=True):
            assert found.lag == pytest.approx(
                lags_by_events(lag.tolist(), schedule, time), abs=1e-6
            )


def oldest_unread(lag: Floats, history: list[tuple[float, Floats]], partition: int) -> float:
    """Age by the cumulative arrivals: how long ago as much was still to come as is unread now."""
    rest, age = float(lag[partition]), 0.0
    for seconds, rate in reversed(history):
        if rest <= rate[partition] * seconds:
            return age + (rest / float(rate[partition]) if rest else 0.0)
        rest -= float(rate[partition]) * seconds
        age += seconds
    first = float(history[0][1][partition])
    return age + (rest / first if first else 0.0)


def test_ages_are_those_of_cumulative_arrivals() -> None:
    for lag, schedule in random_runs(5, 200):
        state = FluidState.start(lag, schedule[0][1].rate)
        state = next(states_at(state, schedule, (7.5,)))
        history = [
            (seconds, held.rate)
            for seconds, (_, held) in zip((2.0, 3.0, 2.5), schedule, strict=True)
        ]
        expected = [oldest_unread(state.lag, history, p) for p in range(len(lag))]
        assert state.age() == pytest.approx(expected, abs=1e-6)


def test_more_capacity_or_less_to_read_makes_no_lag_longer() -> None:
    """Neither in all nor of any partition, whatever else its member reads."""
    rng = np.random.default_rng(9)
    for lag, ((_, held), *_) in random_runs(10, 200):
        base = FluidState.start(lag, held.rate).after(3.0, held)
        faster = held._replace(capacity=held.capacity + rng.integers(0, 9, held.n_members))
        slower = held._replace(rate=held.rate * rng.random(len(lag)))
        for better in (
            FluidState.start(lag, held.rate).after(3.0, faster),
            FluidState.start(lag, held.rate).after(3.0, slower),
            FluidState.start(lag * rng.random(len(lag)), held.rate).after(3.0, held),
        ):
            assert (better.lag <= base.lag + 1e-9).all()


def test_the_age_of_a_backlog_without_a_rate_is_the_time_since_the_start() -> None:
    held = conditions([0, 2], [0], [0, 0])
    assert start([5, 6], [0, 2]).age().tolist() == [0, 3]
    assert start([5, 6], [0, 2]).after(4.0, held).age().tolist() == [4, 7]
