"""When a better plan is worth a rebalance."""

from __future__ import annotations

import pytest

from equilag.live.rebalance.gain import Gain, Thresholds
from equilag.live.steward.trigger import Trigger

THRESHOLDS = Thresholds(
    gain_percent=20, gain_records=100, gain_per_move=10, confirm=3, min_interval_s=60
)
LARGE = Gain(spread_now=1000, spread_then=0, mean=1000, moves=2)
FAIR = Gain(spread_now=300, spread_then=0, mean=1000, moves=2)
HALF = Gain(spread_now=150, spread_then=0, mean=1000, moves=2)
NONE = Gain(spread_now=0, spread_then=0, mean=1000, moves=0)


def evaluated(trigger: Trigger, gains: list[Gain], start: float = 0.0) -> list[bool]:
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
def test_all_thresholds_must_be_reached(gain: Gain, reached: bool) -> None:
    assert gain.reaches(THRESHOLDS) == reached


def test_a_gain_must_be_confirmed() -> None:
    assert evaluated(Trigger(THRESHOLDS), [FAIR] * 4) == [False, False, True, True]


def test_an_observation_below_the_threshold_starts_over() -> None:
    assert evaluated(Trigger(THRESHOLDS), [FAIR, FAIR, HALF, FAIR, FAIR, FAIR]) == [False] * 5 + [
        True
    ]


def test_a_change_of_members_starts_over() -> None:
    trigger = Trigger(THRESHOLDS)
    assert evaluated(trigger, [FAIR, FAIR]) == [False, False]
    trigger.reset()
    assert evaluated(trigger, [FAIR, FAIR, FAIR]) == [False, False, True]


def test_the_minimum_interval() -> None:
    trigger = Trigger(THRESHOLDS)
    trigger.record_rebalance(now=0.0)
    assert evaluated(trigger, [LARGE] * 5, start=50.0) == [False] * 5
    assert trigger.evaluate(LARGE, 59.9) == (False, "0 s left of the minimum interval")
    assert trigger.evaluate(LARGE, 60.0)[0]


def test_after_a_rebalance_the_thresholds_double() -> None:
    trigger = Trigger(THRESHOLDS)
    trigger.record_rebalance(now=0.0)
    assert evaluated(trigger, [FAIR] * 10, start=100.0) == [False] * 10
    assert evaluated(trigger, [LARGE] * 3, start=200.0) == [False, False, True]


def test_a_successful_rebalance_restores_the_thresholds() -> None:
    trigger = Trigger(THRESHOLDS)
    trigger.record_rebalance(now=0.0)
    assert evaluated(trigger, [NONE, FAIR, FAIR, FAIR], start=100.0) == [False, False, False, True]


def test_reasons() -> None:
    trigger = Trigger(THRESHOLDS)
    assert trigger.evaluate(HALF, 0.0) == (False, "below the threshold")
    assert trigger.evaluate(FAIR, 0.0) == (False, "confirmation 1 of 3")
    assert str(FAIR) == "lag spread 300 to 0 (30.0 % of the mean) for 2 moves"
