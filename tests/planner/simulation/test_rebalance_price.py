"""What a rebalance gains and costs in record-seconds, held against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.columns import Index
from equilag.planner.simulation.fluid import Conditions, FluidState, lag_seconds
from equilag.planner.simulation.rebalance_price import PEAK_SHARE, Pace, Weighed, weigh


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
