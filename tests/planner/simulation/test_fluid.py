"""The fluid model of a group: shares of capacity, lags and ages, pauses of a rebalance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from equilag.domain.columns import Floats
from equilag.planner.simulation.fluid import (
    Conditions,
    FluidState,
    Schedule,
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
    """The lag of each partition at a time: the model, event by event."""
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
