"""The fluid model of a group: shares of capacity, lags and ages, pauses of a rebalance."""

from __future__ import annotations

import numpy as np
import pytest
from support.fluid_groups import lags_by_events, random_runs

from equilag.domain.columns import Floats
from equilag.planner.simulation.fluid import (
    Conditions,
    FluidState,
    read_at,
    rebalanced,
    states_at,
    total_lags,
)

TIMES = (0.0, 0.7, 2.0, 3.1, 6.0, 25.0)


def conditions(rate: list[float], capacity: list[float], owner: list[int]) -> Conditions:
    return Conditions(np.array(rate, float), np.array(capacity, float), np.array(owner, np.int32))


def start(lag: list[float], rate: list[float]) -> FluidState:
    return FluidState.start(np.array(lag, float), np.array(rate, float))


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


def test_the_age_of_a_backlog_without_a_rate_is_the_time_since_the_start() -> None:
    held = conditions([0, 2], [0], [0, 0])
    assert start([5, 6], [0, 2]).age().tolist() == [0, 3]
    assert start([5, 6], [0, 2]).after(4.0, held).age().tolist() == [4, 7]


MOMENTS = np.array([0.0, 0.5, 2.0, 3.5, 5.0, 9.0, 60.0])


def test_totals_do_not_depend_on_how_capacity_is_shared() -> None:
    for lag, schedule in random_runs(6, 200):
        state = FluidState.start(lag, schedule[0][1].rate)
        states = states_at(state, schedule, MOMENTS.tolist())
        assert total_lags(state, schedule, MOMENTS) == pytest.approx(
            [found.lag.sum() for found in states], abs=1e-6
        )


def test_all_is_read_from_the_time_on_that_is_named() -> None:
    finite = 0
    for lag, schedule in random_runs(8, 300):
        state = FluidState.start(lag, schedule[0][1].rate)
        time = read_at(state, schedule)
        if time == np.inf:
            assert total_lags(state, schedule, np.array([1e6]))[0] > 0
            continue
        finite += 1
        before, at, later = total_lags(state, schedule, np.array([time - 1e-3, time, time + 30]))
        assert at == pytest.approx(0, abs=1e-6)
        assert later == pytest.approx(0, abs=1e-6)
        assert before > 0 or time == 0
    assert finite > 30


BEFORE, AFTER = (conditions([1, 1, 1], [4, 4], owner) for owner in ([0, 0, 0], [0, 1, 0]))


def test_eager_members_all_stand_still() -> None:
    (_, during), (end, after) = rebalanced(BEFORE, AFTER, 2.0, "eager")
    assert during.capacity.tolist() == [0, 0]
    assert (end, after) == (2.0, AFTER)


def test_cooperative_members_stop_only_what_changes_hands() -> None:
    (begin, during), (end, _) = rebalanced(BEFORE, AFTER, 2.0, "cooperative")
    assert (begin, end) == (0.0, 2.0)
    assert during.owner.tolist() == [0, -1, 0]
    assert during.capacity.tolist() == [4, 4]


def test_without_a_move_or_a_pause_nobody_stops() -> None:
    assert rebalanced(BEFORE, BEFORE, 2.0, "eager") == [(0.0, BEFORE)]
    assert rebalanced(BEFORE, AFTER, 0.0, "eager") == [(0.0, AFTER)]
