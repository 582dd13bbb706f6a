"""What partitions weigh, what is taken where it is unknown, and whether members keep up."""

from __future__ import annotations

from typing import Any

import pytest

import equilag
from equilag import Group
from equilag.domain.errors import InputError
from equilag.domain.group.member import Member
from equilag.domain.group.weight import filled_rates, knows_rates, partition_weights, weighed_policy
from equilag.domain.plan.plan_figures import ThroughputFigures
from equilag.domain.policy.policy import Policy


def group(rates: Any = None, lags: Any = (5, 0, 7, 1), **more: Any) -> Group:
    return Group.build(
        name="g",
        topics={"a": 3, "b": 1},
        members=["m", "n"],
        subscriptions={"m": ["a", "b"], "n": ["a", "b"]},
        lags={"a": list(lags[:3]), "b": [lags[3]]},
        **({} if rates is None else {"rates": rates}),
        **more,
    )


def weights(of: Group, **settings: Any) -> tuple[list[int], int]:
    found = partition_weights(of, Policy(**settings))
    return found.value.tolist(), found.scale


def test_an_unknown_rate_is_the_mean_of_its_topic_else_of_all_else_nothing() -> None:
    filled = filled_rates(group({"a": [1, None, 4]}))
    assert filled.rate.tolist() == [1, 2.5, 4, 2.5]
    assert filled.unknown == 2
    filled = filled_rates(group({"a": [None, None, None], "b": [3]}))
    assert filled.rate.tolist() == [3, 3, 3, 3]
    assert filled_rates(group()).rate.tolist() == [0] * 4
    assert filled_rates(group({"a": [None] * 3})).unknown == 4


def test_work_is_lag_and_rate_times_horizon() -> None:
    known = group({"a": [1, 2, 3], "b": [0]})
    assert weights(known, weight="work") == ([305, 600, 907, 1], 1)
    assert weights(known, weight="work", horizon=10) == ([15, 20, 37, 1], 1)
    assert weights(known, weight="rate") == ([1, 2, 3, 0], 1)
    assert partition_weights(known, Policy(weight="lag")) is None
    assert weights(known) == weights(known, weight="work")
    assert partition_weights(group(), Policy()) is None


def test_weights_keep_their_decimals() -> None:
    assert weights(group({"a": [0.25, 2, 3], "b": [0]}), weight="rate") == ([25, 200, 300, 0], 100)
    value, scale = weights(group({"a": [1 / 3, 2 / 3, 1], "b": [0]}), weight="rate")
    assert scale == 100_000
    assert value == [33_333, 66_667, 100_000, 0]


def test_a_few_records_a_year_weigh_what_they_are() -> None:
    rare = group({"a": [3.3e-8, 6.6e-8, 1e-7], "b": [0]}, (0, 0, 0, 0))
    value, scale = weights(rare, weight="rate")
    assert (value, scale) == ([33, 66, 100, 0], 10**9)
    value, scale = weights(group({"a": [1e-8 / 3] * 3, "b": [0]}), weight="rate")
    assert (value, scale) == ([3333] * 3 + [0], 10**12)
    plan = equilag.solve(rare, weight="rate", effort=0.05, tolerance=0)
    assert round(plan.extended.load.spread * 1e9) == 1


def test_large_weights_lose_their_decimals_and_too_large_ones_are_refused() -> None:
    large = [2**45, 0, 0, 0]
    value, scale = weights(group({"a": [1 / 3, 0, 0], "b": [0]}, large), weight="work", horizon=1)
    assert (value[0], scale) == (2**45, 1)
    with pytest.raises(InputError, match="rates: add up to a weight of 4e"):
        weights(group({"a": [1e19, 0, 0]}), weight="work")


def test_what_a_group_does_not_know_is_refused() -> None:
    with pytest.raises(InputError, match="weight: no partition's rate is known"):
        equilag.solve(group(), weight="rate")
    with pytest.raises(InputError, match="weight: the group has no weights of its own"):
        equilag.solve(group(), weight="given")
    with pytest.raises(InputError, match="weight: unknown weight 'size'"):
        Policy(weight="size")
    with pytest.raises(InputError, match="horizon: 0 is not more than 0"):
        Policy(horizon=0)
    with pytest.raises(InputError, match="horizon: true is not a number of seconds"):
        Policy(horizon=True)


def test_work_is_the_default_where_a_rate_is_known() -> None:
    known = group({"a": [1, None, None]})
    assert knows_rates(known)
    assert weighed_policy(Policy(), known).weight == "work"
    assert weighed_policy(Policy(weight="lag"), known).weight == "lag"
    assert weighed_policy(Policy(), group()).weight is None
    assert not knows_rates(group({"a": [None] * 3}))
    plan = equilag.solve(known, effort=0.05).to_dict()
    assert plan["weight"] == {"kind": "work", "horizon_s": 300.0, "unit": "records"}
    assert plan["policy"]["horizon"] == 300
    assert "weight" not in equilag.solve(known, weight="lag", effort=0.05).to_dict()


def rated(rates: Any, capacities: tuple[float | None, ...] = (10, 20), **more: Any) -> Group:
    members = [Member(f"m{n}", capacity=capacity) for n, capacity in enumerate(capacities)]
    return Group.build(
        name="g",
        topics={topic: len(row) for topic, row in rates.items()},
        members=members,
        subscriptions={member.id: list(rates) for member in members},
        rates=rates,
        **more,
    )


def figures(of: Group) -> ThroughputFigures:
    plan = equilag.solve(of, effort=0.05)
    assert equilag.verify(of, plan) == []
    assert plan.extended.throughput is not None
    return plan.extended.throughput


def test_utilisation_is_rate_over_capacity() -> None:
    found = figures(rated({"t": [6, 6, 6]}))
    assert found.by_member == {"m0": 0.6, "m1": 0.6}
    assert (found.rate, found.capacity, found.mean, found.max) == (18, 30, 0.6, 0.6)
    assert found.keeps_up
    assert found.to_dict()["keeps_up"]
    assert found.short == 0
    assert found.hot == ()


def test_members_that_fall_behind() -> None:
    found = figures(rated({"t": [30, 15, 15]}, (10, 20, None)))
    assert not found.keeps_up
    assert found.capacity == 45  # the unknown one takes the median, 15
    assert found.short == 15
    assert [hot._asdict() for hot in found.hot] == [
        {"topic": "t", "partition": 0, "rate": 30.0, "capacity": 20.0}
    ]


def test_a_sum_that_is_rounded_up_is_no_shortage() -> None:
    rates = [0.1, 0.2]
    assert sum(rates) > 0.3
    found = figures(rated({"t": rates}, (0.3,)))
    assert found.max > 1
    assert (found.keeps_up, found.short) == (True, 0)


def test_the_lag_is_read_once_the_slowest_member_is_done() -> None:
    found = figures(rated({"t": [5, 10]}, (10, 20), lags={"t": [50, 30]}))
    assert found.caught_up_s == 10
    behind = figures(rated({"t": [11, 21]}, (10, 20), lags={"t": [50, 30]}))
    assert behind.caught_up_s is None
    no_lag = figures(rated({"t": [11, 1]}, (10, 20)))
    assert no_lag.caught_up_s == 0


def test_a_hot_partition_is_one_that_nobody_who_may_take_it_can_read() -> None:
    found = figures(rated({"t": [15, 1]}, allowed={"t": {"0": ["m0"]}}))
    assert [(hot.partition, hot.capacity) for hot in found.hot] == [(0, 10)]
    joined = figures(rated({"t": [12, 1], "u": [9, 1]}, co_partitioned=[["t", "u"]]))
    assert [(hot.topic, hot.rate) for hot in joined.hot] == [("t+u", 21)]


def test_there_are_none_without_rates_or_speeds() -> None:
    for of, settings in (
        (rated({"t": [1, 2]}, (None, None)), {}),
        (rated({"t": [1, 2]}), {"weight": "lag"}),
        (rated({"t": [None, None]}), {}),
    ):
        plan = equilag.solve(of, effort=0.05, **settings)
        assert plan.extended is None or plan.extended.throughput is None
