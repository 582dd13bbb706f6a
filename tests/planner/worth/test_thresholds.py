"""Whether a gain is worth a rebalance, and the reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.planner.worth.gain import Gain, Imbalance, Paused
from equilag.planner.worth.thresholds import Pause, Thresholds, judge

NOW, THEN = Imbalance(130.0, 900.0), Imbalance(105.0, 100.0)
GAIN = Gain(
    NOW, THEN, relief_percent=25.0, relief_s=15.0, saved=800.0, noise_percent=1.0, moves=4,
    paused=Paused(moved=40.0, all=300.0), looks_ahead_s=60.0,
)  # fmt: skip
USUAL = Thresholds()
PAUSE = Pause()


def ground(gain: Gain = GAIN, thresholds: Thresholds = USUAL, pause: Pause = PAUSE) -> str:
    return judge(gain, thresholds, pause).ground


def test_relief_beyond_the_threshold_is_worth_it() -> None:
    verdict = judge(GAIN, USUAL, Pause(2.0))
    assert verdict.worth_it
    assert verdict.reason == "relieves a member by 25 % of a fair share (15.0 s of work)"


def test_either_threshold_is_enough() -> None:
    assert ground(replace(GAIN, relief_percent=9.0), pause=Pause(2.0)) == "even"
    assert ground(replace(GAIN, relief_percent=9.0, relief_s=60.0), pause=Pause(2.0)) == "worth-it"
    nothing = replace(GAIN, relief_percent=0.0, relief_s=0.0)
    assert ground(nothing, Thresholds(gain_percent=0.0, gain_delay_s=0.0)) == "even"


def test_noise_is_no_gain() -> None:
    verdict = judge(replace(GAIN, noise_percent=9.0), USUAL, Pause(2.0))
    assert verdict.ground == "noise"
    assert verdict.reason.endswith("a load is known to 9.0 % only")


def test_a_pause_may_cost_more_than_it_saves() -> None:
    assert ground(pause=Pause(2.0)) == "worth-it"
    assert ground(pause=Pause(3.0)) == "pause"  # 900 records arrive while an eager group waits
    assert ground(pause=Pause(3.0, cooperative=True)) == "worth-it"  # 120 for those that move
    assert ground(pause=Pause(30.0, cooperative=True)) == "pause"
    by_lag = replace(GAIN, looks_ahead_s=0.0)
    assert ground(by_lag, pause=Pause(3.0)) == "worth-it"  # rates are unknown


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"gain_percent": -1}, "gain_percent"),
        ({"cooldown_s": float("inf")}, "cooldown_s"),
        ({"confirm": 0}, "confirm"),
        ({"moves_per_hour": 1.5}, "moves_per_hour"),
    ],
)
def test_thresholds_are_checked(settings: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError) as caught:
        Thresholds(**settings)
    assert caught.value.place == place
