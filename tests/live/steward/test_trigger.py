"""When a better plan is worth a rebalance."""

from __future__ import annotations

import pytest

from equilag.live.rebalance.gain import Gain, Imbalance, Thresholds
from equilag.live.steward.trigger import Trigger

THRESHOLDS = Thresholds(
    gain_percent=20, gain_records=100, gain_per_move=10, confirm=3, min_interval_s=60
)


def gain(now: float, planned: float, mean: float, moves: int) -> Gain:
    """Of this excess now and planned; a spread, which decides nothing, of twice as much."""
    return Gain(Imbalance(now, round(2 * now)), Imbalance(planned, round(2 * planned)), mean, moves)


LARGE = gain(1000, 0, 1000, 2)
FAIR = gain(300, 0, 1000, 2)
HALF = gain(150, 0, 1000, 2)
NONE = gain(0, 0, 1000, 0)


def evaluated(trigger: Trigger, gains: list[Gain], start: float = 0.0) -> list[bool]:
    return [trigger.evaluate(found, start + at)[0] for at, found in enumerate(gains)]


@pytest.mark.parametrize(
    ("found", "reached"),
    [
        (gain(200, 0, 1000, 20), True),
        (gain(199, 0, 1000, 1), False),  # percent of the mean
        (gain(99, 0, 100, 1), False),  # records
        (gain(200, 0, 1000, 21), False),  # records for each move
        (gain(200, 250, 10, 0), False),
        (gain(0, 0, 0.0, 0), False),
    ],
)
def test_all_thresholds_must_be_reached(found: Gain, reached: bool) -> None:
    assert found.reaches(THRESHOLDS) == reached


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
    assert str(FAIR) == "excess 300 to 0 (saves 30.0 % of the mean), lag spread 600 to 0, 2 moves"
