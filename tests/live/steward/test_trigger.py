"""When a better plan is worth a rebalance."""

from __future__ import annotations

import pytest

from equilag.live.rebalance.gain import Gain, Thresholds
from equilag.live.steward.trigger import Trigger

ASKED = Thresholds(
    gain_percent=20, gain_records=100, gain_per_move=10, confirm=3, min_interval_s=60
)
LARGE = Gain(spread_now=1000, spread_then=0, mean=1000, moves=2)
FAIR = Gain(spread_now=300, spread_then=0, mean=1000, moves=2)
HALF = Gain(spread_now=150, spread_then=0, mean=1000, moves=2)
NONE = Gain(spread_now=0, spread_then=0, mean=1000, moves=0)


def judged(trigger: Trigger, gains: list[Gain], start: float = 0.0) -> list[bool]:
    return [trigger.evaluate(gain, start + at)[0] for at, gain in enumerate(gains)]


@pytest.mark.parametrize(
    ("gain", "reached"),
    [
        (Gain(200, 0, 1000, 20), True),
        (Gain(199, 0, 1000, 1), False),  # percent of the mean
        (Gain(99, 0, 100, 1), False),  # records
        (Gain(200, 0, 1000, 21), False),  # records for each move
        (Gain(200, 250, 10, 0), False),
        (Gain(0, 0, 0.0, 0), False),
    ],
)
def test_all_thresholds_have_to_be_met(gain: Gain, reached: bool) -> None:
    assert gain.reaches(ASKED) == reached


def test_it_has_to_be_confirmed() -> None:
    assert judged(Trigger(ASKED), [FAIR] * 4) == [False, False, True, True]


def test_a_round_below_starts_over() -> None:
    assert judged(Trigger(ASKED), [FAIR, FAIR, HALF, FAIR, FAIR, FAIR]) == [False] * 5 + [True]


def test_after_a_change_of_members_it_starts_over() -> None:
    trigger = Trigger(ASKED)
    assert judged(trigger, [FAIR, FAIR]) == [False, False]
    trigger.reset()
    assert judged(trigger, [FAIR, FAIR, FAIR]) == [False, False, True]


def test_the_minimum_interval() -> None:
    trigger = Trigger(ASKED)
    trigger.record_rebalance(now=0.0)
    assert judged(trigger, [LARGE] * 5, start=50.0) == [False] * 5
    assert trigger.evaluate(LARGE, 59.9) == (False, "0 s left of the minimum interval")
    assert trigger.evaluate(LARGE, 60.0)[0]


def test_lag_that_comes_back_at_once_has_to_be_twice_as_uneven() -> None:
    trigger = Trigger(ASKED)
    trigger.record_rebalance(now=0.0)
    assert judged(trigger, [FAIR] * 10, start=100.0) == [False] * 10
    assert judged(trigger, [LARGE] * 3, start=200.0) == [False, False, True]


def test_a_plan_that_held_resets_what_is_asked() -> None:
    trigger = Trigger(ASKED)
    trigger.record_rebalance(now=0.0)
    assert judged(trigger, [NONE, FAIR, FAIR, FAIR], start=100.0) == [False, False, False, True]


def test_it_says_why() -> None:
    trigger = Trigger(ASKED)
    assert trigger.evaluate(HALF, 0.0) == (False, "below the threshold")
    assert trigger.evaluate(FAIR, 0.0) == (False, "round 1 of 3 that says so")
    assert str(FAIR) == "lag spread 300 to 0 (30.0 % of the mean) for 2 moves"
