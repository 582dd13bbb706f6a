"""Whether members keep up with what is produced."""

from __future__ import annotations

from typing import Any

import equilag
from equilag import Group
from equilag.domain.group.member import Member
from equilag.domain.plan.plan_figures import ThroughputFigures


def group(rates: Any, capacities: tuple[float | None, ...] = (10, 20), **more: Any) -> Group:
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
    found = figures(group({"t": [6, 6, 6]}))
    assert found.by_member == {"m0": 0.6, "m1": 0.6}
    assert (found.rate, found.capacity, found.mean, found.max) == (18, 30, 0.6, 0.6)
    assert found.keeps_up
    assert found.to_dict()["keeps_up"]
    assert found.short == 0
    assert found.hot == ()


def test_members_that_fall_behind() -> None:
    found = figures(group({"t": [30, 15, 15]}, (10, 20, None)))
    assert not found.keeps_up
    assert found.capacity == 45  # the unknown one takes the median, 15
    assert found.short == 15
    assert [hot._asdict() for hot in found.hot] == [
        {"topic": "t", "partition": 0, "rate": 30.0, "capacity": 20.0}
    ]


def test_a_sum_that_is_rounded_up_is_no_shortage() -> None:
    rates = [0.1, 0.2]
    assert sum(rates) > 0.3
    found = figures(group({"t": rates}, (0.3,)))
    assert found.max > 1
    assert (found.keeps_up, found.short) == (True, 0)


def test_the_lag_is_read_once_the_slowest_member_is_done() -> None:
    found = figures(group({"t": [5, 10]}, (10, 20), lags={"t": [50, 30]}))
    assert found.caught_up_s == 10
    behind = figures(group({"t": [11, 21]}, (10, 20), lags={"t": [50, 30]}))
    assert behind.caught_up_s is None
    no_lag = figures(group({"t": [11, 1]}, (10, 20)))
    assert no_lag.caught_up_s == 0


def test_a_hot_partition_is_one_that_nobody_who_may_take_it_can_read() -> None:
    found = figures(group({"t": [15, 1]}, allowed={"t": {"0": ["m0"]}}))
    assert [(hot.partition, hot.capacity) for hot in found.hot] == [(0, 10)]
    joined = figures(group({"t": [12, 1], "u": [9, 1]}, co_partitioned=[["t", "u"]]))
    assert [(hot.topic, hot.rate) for hot in joined.hot] == [("t+u", 21)]


def test_there_are_none_without_rates_or_speeds() -> None:
    for of, settings in (
        (group({"t": [1, 2]}, (None, None)), {}),
        (group({"t": [1, 2]}), {"weight": "lag"}),
        (group({"t": [None, None]}), {}),
    ):
        plan = equilag.solve(of, effort=0.05, **settings)
        assert plan.extended is None or plan.extended.throughput is None
