"""Reduced groups: what cannot be reduced, and units that nobody may take, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.groups import group_of

import equilag
from equilag import Group, InputError, Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group


def test_a_limit_beyond_64_bits_is_none() -> None:
    group = group_of([3], [[0], [0]])
    plan = equilag.solve(group, effort=0.01, max_partitions=2**70)
    assert plan.counts.max == 2
    assert equilag.verify(group, plan) == []


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (equilag.Policy("kip-169"), "policy: per-topic, the balance of kip-169, does not go with"),
        (equilag.Policy(balance="both"), "balance: both does not go with"),
    ],
)
def test_balance_topic_by_topic_names_who_asked_for_it(
    policy: equilag.Policy, problem: str
) -> None:
    group = replace(group_of([2, 2], [[0, 1]]), co_partitioned=((0, 1),))
    with pytest.raises(equilag.InputError) as error:
        equilag.solve(group, policy)
    assert str(error.value) == f"{problem} co-partitioned topics; total or none do"


def test_topics_after_totals_do_not_go_with_instances() -> None:
    group = group_of([2, 2], [[0, 1], [0, 1]])
    members = tuple(replace(member, instance="p") for member in group.members)
    group = replace(group, members=members)
    with pytest.raises(equilag.InputError, match="total-then-topics does not go with instances"):
        equilag.solve(group, balance="total-then-topics")
    plan = equilag.solve(group, balance="total-then-topics", instances="none", effort=0.1)
    assert plan.counts.per_topic_squares == plan.counts.per_topic_squares_lower_bound == 4


GROUP = Group.build(
    name="g",
    topics={"a": 2, "b": 2},
    members=["m0", "m1", "n"],
    subscriptions={"m0": ["a", "b"], "m1": ["a", "b"], "n": ["a"]},
    owned={"m0": {"a": [1]}, "m1": {"b": [1]}},
    co_partitioned=[["a", "b"]],
)


@pytest.mark.parametrize(
    ("settings", "number", "whose"),
    [
        ({"pin": ["a-0=m0", "b-0=m1"]}, 0, "a-0 is for m0 only, b-0 is for m1 only"),
        ({"pin": ["a-0=n"]}, 0, "a-0 is for n only"),
        ({"keep": ["a", "b"]}, 1, "a-1 is for m0 only, b-1 is for m1 only"),
    ],
)
def test_a_unit_that_nobody_may_take(settings: Any, number: int, whose: str) -> None:
    policy = Policy(**settings)
    with pytest.raises(InputError) as caught:
        reduce_group(shape_group(GROUP, policy), policy)
    assert caught.value.place == "co_partitioned"
    unit = f"a-{number} and b-{number} are one unit"
    assert caught.value.problem == f"{unit}, but no member may take both: {whose}"


def test_a_list_that_nobody_reads_as_a_whole() -> None:
    group = Group.build(
        name="g",
        topics={"a": 2, "b": 2, "c": 2, "d": 2},
        members=["m0", "m1"],
        subscriptions={"m0": ["a", "d"], "m1": ["a", "b", "d"]},
        co_partitioned=[["a", "b", "c"]],
    )
    problem = "no member subscribes to all of a, b, c; m1 subscribes to a and b only"
    for group_, policy, place in (
        (group, Policy(), "co_partitioned"),
        (replace(group, co_partitioned=()), Policy(co_partition=["c,a,b"]), "co_partition"),
    ):
        with pytest.raises(InputError) as caught:
            reduce_group(shape_group(group_, policy), policy)
        assert (caught.value.place, caught.value.problem) == (place, problem)
