"""What a rebalance gains, what no plan can relieve, and whether it is worth a pause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.groups import group_of
from support.live_loads import loads_of

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.planner.simulation.rebalance_price import Weighed
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads, group_loads
from equilag.planner.worth.thresholds import Thresholds, judge

BEFORE = np.array([0, 1, 0, 1, 1], np.int32)
AFTER = np.array([0, 1, 1, 1, 0], np.int32)
LAGS = [100, 40, 0, 30, 10]


def uneven() -> GroupLoads:
    return loads_of(LAGS, ["a", "b"])


def test_a_gain_is_the_relief_of_the_most_relieved_member() -> None:
    gain = gain_of(uneven(), AFTER, BEFORE)
    # 100 records are one partition, and 90 a fair share: the other member can come down to 80.
    assert gain.relief_percent == pytest.approx(100 * (110 - 100) / 90)
    assert (gain.weighed, gain.moves) == (None, 2)  # no rate is known
    assert gain_of(uneven(), BEFORE, AFTER).relief_percent == 0.0


def test_a_hot_partition_neither_counts_nor_hides_the_others() -> None:
    """Nobody can help the member with 1,000 records; the other three share 90 badly."""
    loads = loads_of([1000, 30, 30, 20, 10, 0], list("abcd"))
    before = np.array([0, 1, 1, 2, 2, 3], np.int32)
    after = np.array([0, 1, 2, 3, 3, 0], np.int32)
    assert loads.best.tolist() == [1000.0, 30.0, 30.0, 30.0]
    assert gain_of(loads, before, after).relief_percent == pytest.approx(100.0)
    assert gain_of(loads, before).relief_percent == pytest.approx(100.0)
    assert gain_of(loads, after).relief_percent == 0.0


def test_capacities_make_shares() -> None:
    loads = loads_of([30, 30, 30, 30], ["a", "b"], capacities={"a": 3.0, "b": 1.0}, measured=True)
    assert loads.fair == 30.0
    gain = gain_of(loads, np.array([0, 0, 1, 1], np.int32), np.array([0, 0, 0, 1], np.int32))
    assert gain.relief_percent == 100.0
    assert gain.relief_s == 30.0  # records per second: 60 records of b take it 60 s, not 30


def test_seconds_without_capacities_are_those_of_production() -> None:
    loads = loads_of([0, 0], ["a", "b"], rates=[3.0, 1.0], policy=Policy(horizon=60.0))
    both = gain_of(loads, np.array([0, 0], np.int32), np.array([0, 1], np.int32))
    assert both.relief_percent == pytest.approx(50.0)
    # Its 240 records, 180 then: 60 of the 2 per second that an average member gets.
    assert both.relief_s == pytest.approx(30.0)
    assert gain_of(uneven(), BEFORE, BEFORE).relief_s is None


def test_errors_of_rates_are_errors_of_loads() -> None:
    loads = loads_of([0, 0], ["a", "b"], rates=[10.0, 10.0], errors=[1.0, None])
    assert gain_of(loads, loads.group.owner, loads.group.owner).noise_percent == pytest.approx(
        100 * np.sqrt(1 / 2) / 10
    )


def test_no_plan_gains_more_than_is_possible() -> None:
    """All plans of 25 random groups with capacities, by enumeration."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        lags = (rng.lognormal(2, 1.5, 5) * (rng.random(5) > 0.2)).astype(int).tolist()
        sizes = {name: float(rng.integers(1, 4)) for name in "abc"}
        loads = loads_of(lags, list("abc"), capacities=sizes)
        before = rng.integers(0, 3, 5).astype(np.int32)
        bound = gain_of(loads, before).relief_percent
        for number in range(3**5):
            after = np.array([number // 3**k % 3 for k in range(5)], np.int32)
            assert gain_of(loads, before, after).relief_percent <= bound + 1e-9


def test_relief_counts_where_most_members_have_nothing() -> None:
    """The median of the loads that no plan falls below is 0 then."""
    owners, lags = [0, 0, *([1, 2, 3, 4] * 2)], [1000, 1000, *[0] * 8]
    group = group_of([10], [[0]] * 5, owners=owners, lags=lags)
    loads = group_loads(group, Policy())
    after = group.owner.copy()
    after[1] = 1
    gain = gain_of(loads, group.owner, after)
    assert gain.relief_percent == 250.0  # 1,000 of a fair share of 400
    assert gain_of(loads, group.owner).relief_percent == 250.0


GAIN = Gain(
    130.0, 105.0, relief_percent=25.0, relief_s=15.0, noise_percent=1.0,
    sure_percent=0.0, moves=4, weighed=Weighed(900.0, 400.0),
)  # fmt: skip
USUAL = Thresholds()


def ground(gain: Gain = GAIN, thresholds: Thresholds = USUAL) -> str:
    return judge(gain, thresholds).ground


def test_relief_beyond_the_threshold_is_worth_it() -> None:
    verdict = judge(GAIN, USUAL)
    assert verdict.worth_it
    relief = "relieves a member by 25 % of a fair share (15.0 s of work)"
    assert verdict.reason == f"{relief}, gains 900 record-seconds, costs 400"
    assert judge(replace(GAIN, weighed=None), USUAL) == ("worth-it", relief)  # rates are unknown


def test_either_threshold_is_enough() -> None:
    assert ground(replace(GAIN, relief_percent=9.0)) == "even"
    assert ground(replace(GAIN, relief_percent=9.0, relief_s=60.0)) == "worth-it"
    nothing = replace(GAIN, relief_percent=0.0, relief_s=0.0)
    assert ground(nothing, Thresholds(gain_percent=0.0, gain_delay_s=0.0)) == "even"


def test_noise_is_no_gain() -> None:
    verdict = judge(replace(GAIN, noise_percent=9.0), USUAL)
    assert verdict.ground == "noise"
    assert verdict.reason.endswith("a load is known to 9.0 % only")
    assert judge(replace(GAIN, noise_percent=9.0, sure_percent=10.0), USUAL).worth_it


def test_a_rebalance_may_cost_more_than_it_gains() -> None:
    verdict = judge(replace(GAIN, weighed=Weighed(900.0, 450.0)), USUAL)
    assert verdict.ground == "pause"  # the margin is 2
    assert verdict.reason.endswith(", gains 900 record-seconds, costs 450")


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
