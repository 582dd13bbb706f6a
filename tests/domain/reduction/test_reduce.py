"""Reduced groups and classes of partitions: by brute force, and what cannot be reduced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.constraints import balanced_assignment
from support.groups import group_of, groups, restricted, small_groups
from support.oracles import Assignments

import equilag
from equilag.certificate.checks.count_checks import read_potentials
from equilag.certificate.checks.potentials import bound_by_potentials, moves_claim
from equilag.domain.constraint import constraint_of
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Member
from equilag.domain.plan.metrics import count_moves, is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.heuristics import get_assignor, run_assignor
from equilag.solver.moves.fewest_moves import fewest_moves


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


def restricted_groups(seed: int, n: int) -> Iterator[Group]:
    rng = np.random.default_rng(seed)
    for group in small_groups(seed=seed, n=n, topics=2, size=4, reads=0.8, limit=1500):
        yield restricted(group, rng)


def test_the_fewest_moves_and_what_proves_them() -> None:
    by_partition = 0
    for group in restricted_groups(seed=202, n=32):
        constraint = constraint_of(group, Policy(), balanced_assignment(group, Policy()))
        truth = int(Assignments.all(group).balanced("total").moves.min())
        found = fewest_moves(group, constraint)
        assert is_valid(group, found.assigned)
        assert constraint.admits(found.assigned)
        assert count_moves(group, found.assigned) == truth
        assert bound_by_potentials(group, constraint, found.potentials) == truth
        data = moves_claim(group, truth, found.potentials).data
        by_partition += any(isinstance(y, dict) for y in data["topics"].values())
        assert bound_by_potentials(group, constraint, read_potentials(group, data)) == truth
    assert by_partition > 3


@pytest.mark.parametrize("name", ["sticky", "constrained-sticky"])
def test_the_assignors_of_fallbacks_keep_to_the_classes(name: str) -> None:
    for group in restricted_groups(seed=205, n=8):
        assert is_valid(group, run_assignor(get_assignor(name), group))


def test_members_that_may_take_nothing_are_idle() -> None:
    group = restricted(group_of([3, 2], [[0], [1]]), np.random.default_rng(0), open_to=0.0)
    assert group.idle.all()
    assert not group.assignable.any()
    plan = equilag.solve(group)
    assert (plan.assigned == NOBODY).all()
    assert equilag.verify(group, plan) == []


def test_counts_topic_by_topic_are_refused() -> None:
    group = restricted(group_of([4], [[0], [0]]), np.random.default_rng(1))
    with pytest.raises(InputError, match="balance"):
        equilag.solve(group, "kip-169")
    with pytest.raises(ValueError, match="class"):
        assert group.topic_class is not None


@given(groups())
def test_classes_say_the_same_as_subscriptions(group: Group) -> None:
    for partition in range(group.n_partitions):
        readers = group.subscribers(int(group.topic_of[partition])).tolist()
        row = group.eligible[group.partition_class[partition]]
        assert readers == np.flatnonzero(row[group.class_of]).tolist()
        assert group.assignable[partition] == bool(readers)


# Equality


def test_groups_are_equal_by_what_they_say() -> None:
    def built() -> Group:
        return Group.build(
            name="g", topics={"t": 2}, members=["a", "b"], lags={"t": [1, 2]},
            subscriptions={"a": ["t"], "b": ["t"]}, rates={"t": [1.5, None]},
        )  # fmt: skip

    group, same = built(), built()
    assert (group, hash(group)) == (same, hash(same))
    assert replace(group, remarks=("of another source",)) == group
    for changed in (
        replace(group, name="h"),
        replace(group, lag=group.lag + 1),
        replace(group, rates=None),
        replace(group, owner=np.array([0, 1], np.int32)),
        replace(group, members=(group.members[0], Member("c"))),
        replace(group, taken_at="2026-11-22T16:05:00Z"),
    ):
        assert changed != group
    assert group != "g"
    assert len({group, same}) == 1
