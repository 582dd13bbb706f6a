"""The fluid model of a group; what a rebalance gains and costs, against sums by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from equilag.domain.columns import Floats, Index
from equilag.planner.simulation.fluid import (
    Conditions,
    FluidState,
    Schedule,
    lag_seconds,
    members_read_at,
    rebalanced,
    states_at,
    total_lags,
)
from equilag.planner.simulation.rebalance_price import PEAK_SHARE, Pace, Weighed, weigh

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
        time = float(members_read_at(state, schedule).max())
        if time == np.inf:
            assert total_lags(state, schedule, np.array([1e6]))[0] > 0
            continue
        finite += 1
        before, at, later = total_lags(state, schedule, np.array([time - 1e-3, time, time + 30]))
        assert at == pytest.approx(0, abs=1e-6)
        assert later == pytest.approx(0, abs=1e-6)
        assert before > 0 or time == 0
    assert finite > 30


ONE_READS, BOTH_READ = (conditions([1, 1, 1], [4, 4], owner) for owner in ([0, 0, 0], [0, 1, 0]))


def test_eager_members_all_stand_still() -> None:
    (_, during), (end, after) = rebalanced(ONE_READS, BOTH_READ, 2.0, "eager")
    assert during.capacity.tolist() == [0, 0]
    assert (end, after) == (2.0, BOTH_READ)


def test_cooperative_members_stop_only_what_changes_hands() -> None:
    (begin, during), (end, _) = rebalanced(ONE_READS, BOTH_READ, 2.0, "cooperative")
    assert (begin, end) == (0.0, 2.0)
    assert during.owner.tolist() == [0, -1, 0]
    assert during.capacity.tolist() == [4, 4]


def test_without_a_move_or_a_pause_nobody_stops() -> None:
    assert rebalanced(ONE_READS, ONE_READS, 2.0, "eager") == [(0.0, ONE_READS)]
    assert rebalanced(ONE_READS, BOTH_READ, 0.0, "eager") == [(0.0, BOTH_READ)]


def owners(*members: int) -> Index:
    return np.array(members, dtype=np.int32)


RATE = np.array([6.0, 6.0, 2.0])
CAPACITY = np.array([10.0, 20.0])
BEFORE, AFTER = owners(0, 0, 1), owners(0, 1, 1)
NO_LAG = np.zeros(3)
NO_COMMITS = 0.0


def found(pace: Pace, after: Index | None = AFTER, seconds: float = 100.0) -> Weighed:
    return weigh(NO_LAG, Conditions(RATE, CAPACITY, BEFORE), after, pace, seconds)


def test_the_area_under_the_lag() -> None:
    state = FluidState.start(np.array([40.0, 0.0, 0.0]), RATE)
    now = Conditions(RATE, CAPACITY, BEFORE)
    assert lag_seconds(state, [(0.0, now)], 10.0) == pytest.approx(40 * 10 + 2 * 10**2 / 2)
    then = now._replace(owner=AFTER)  # 4 records per second are left for the 40
    assert lag_seconds(state, [(0.0, then)], 100.0) == pytest.approx(40 * 10 / 2)
    assert lag_seconds(state, [(0.0, now), (5.0, then)], 5.0) == pytest.approx(200 + 25)


def test_a_gain_is_what_falls_behind_and_in_part_what_would_at_a_peak() -> None:
    gain = found(Pace(0.0, 2, NO_COMMITS, "cooperative")).gain
    peak = 30 / 14  # at which members have work for all of their capacity
    at_peak = (12 * peak - 10) - max(0.0, 6 * peak - 10) - max(0.0, 8 * peak - 20)
    assert gain == pytest.approx((2 + PEAK_SHARE * at_peak) * 100**2 / 2)


def test_the_price_of_a_cooperative_rebalance_is_what_moves() -> None:
    pace = Pace(4.0, 3, NO_COMMITS, "cooperative")
    assert pace.pause_s == 8.0
    # 48 records wait for a member that has 12 records per second to spare.
    assert found(pace).price == pytest.approx(6 * 8**2 / 2 + 48 * 4 / 2)
    assert found(pace, BEFORE).price == 0.0
    reread = pace._replace(commit_s=4.0)  # 12 records more, half of what no commit covers
    assert found(reread).price == pytest.approx(12 * 8 + 6 * 8**2 / 2 + 60 * 5 / 2)


def test_in_an_eager_one_everything_waits() -> None:
    pace = Pace(4.0, 3, NO_COMMITS, "eager")
    assert pace.pause_s == 4.0
    assert found(pace).price == pytest.approx(14 * 4**2 / 2 + 24 * 6 / 2 + 32 * (32 / 12) / 2)


@pytest.mark.parametrize("protocol", ["eager", "cooperative"])
def test_no_plan_gains_more_for_less(protocol: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        rate, lag = rng.lognormal(1, 1, 6), rng.integers(0, 100, 6).astype(np.float64)
        now = Conditions(rate, 30 * rng.random(3), rng.integers(0, 3, 6).astype(np.int32))
        pace = Pace(protocol=protocol)  # type: ignore[arg-type]
        bound = weigh(lag, now, None, pace)
        one = weigh(lag, now, rng.integers(0, 3, 6).astype(np.int32), pace)
        assert one.gain <= bound.gain * (1 + 1e-9) + 1e-6
    assert bound.price > 0


def test_members_that_keep_up_are_as_fast_as_they_have_to_be() -> None:
    """A guess that says otherwise is no reason to move anything."""
    slow = Conditions(RATE, np.array([8.0, 8.0]), BEFORE)
    pace = Pace(protocol="cooperative")
    taken = weigh(NO_LAG, slow, AFTER, pace, 100.0)
    assert taken.gain > 4 * 100**2 / 2
    guessed = np.array([True, True])
    assert weigh(NO_LAG, slow, AFTER, pace, 100.0, guessed).gain < taken.gain / 10
    behind = np.array([300.0, 300.0, 0.0])
    assert weigh(behind, slow, AFTER, pace, 100.0, guessed).gain > 4 * 100**2 / 2


def test_a_pace_by_polls() -> None:
    assert Pace.of_polls(5.0, 4, "cooperative") == Pace(10.0, 4, 5.0, "cooperative")
    assert str(Pace.of_polls(0.1, 4, "eager")) == "1 round of 3.0 s"
