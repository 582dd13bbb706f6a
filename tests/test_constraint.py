"""The count constraint: it admits the most even assignments, all of them and no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from support.groups import ODD, group_of, groups, small_groups
from support.oracles import Assignments

from equilag.constraint import CountConstraint, NotMinimal, constraint_of, unconstrained, water_fill
from equilag.group import NOBODY, Group
from equilag.policy import BALANCES, Policy
from equilag.solver.counts.even_counts import balanced_assignment

POLICIES = [
    Policy.of(name, balance) for balance in BALANCES for name in ("lag-aware", "sticky-yet-fair")
]


def admits_exactly_the_balanced(group: Group, policy: Policy) -> None:
    everything = Assignments.all(group, policy.name == "sticky-yet-fair")
    balanced = everything.balanced(policy.balance)
    constraint = constraint_of(group, policy, balanced_assignment(group, policy))
    for row in everything.rows:
        if row in balanced:
            assert constraint.admits(group, row)
            assert_same(constraint_of(group, policy, row), constraint)
        else:
            assert not constraint.admits(group, row)
            with pytest.raises(NotMinimal):
                constraint_of(group, policy, row)


def assert_same(one: CountConstraint, other: CountConstraint) -> None:
    """Whatever balanced assignment it is read off, the constraint is the same."""
    for field in ("lo", "hi", "allowed", "pinned", "topic_lo", "topic_hi"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field


@pytest.mark.parametrize("shape", [{}, {"topics": 2, "size": 5}], ids=["wide", "tall"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.balance}")
def test_admits_the_balanced_and_no_others(policy: Policy, shape: dict[str, int]) -> None:
    for group in small_groups(seed=11, n=20, limit=250, **shape):
        admits_exactly_the_balanced(group, policy)


@given(groups(limit=60))
def test_admits_the_balanced_and_no_others_on_odd_shapes(group: Group) -> None:
    for policy in POLICIES:
        admits_exactly_the_balanced(group, policy)


def test_a_pinned_partition_must_stay() -> None:
    group = group_of([2], [[0], [0]], owners=[0, NOBODY])
    constraint = constraint_of(group, Policy.of("sticky-yet-fair"), np.array([0, 1], np.int32))
    assert constraint.admits(group, np.array([0, 1], np.int32))
    assert not constraint.admits(group, np.array([1, 0], np.int32))


def test_a_block_that_is_full_leaves_no_choice() -> None:
    group = group_of([6], [[0], [0], [0]])
    constraint = constraint_of(group, Policy.of(), np.array([0, 0, 1, 1, 2, 2], np.int32))
    assert constraint.lo.tolist() == constraint.hi.tolist() == [2, 2, 2]


def test_a_leak_between_blocks_that_intervals_alone_would_let_through() -> None:
    # 3 and 2 of t00 at m00 and m01; one of t01 at m02 or m03, and not at m01, who reads it too.
    group = group_of([5, 1], [[0], [0, 1], [1], [1]])
    constraint = constraint_of(group, Policy.of(), np.array([0, 0, 0, 1, 1, 2], np.int32))
    assert (constraint.lo.tolist(), constraint.hi.tolist()) == ([2, 2, 0, 0], [3, 3, 1, 1])
    assert not constraint.admits(group, np.array([0, 0, 0, 1, 1, 1], np.int32))
    assert constraint.admits(group, np.array([0, 0, 1, 1, 1, 3], np.int32))


def test_blocks_say_more_than_intervals() -> None:
    # m00 alone reads t00; t01 is shared, but no balanced plan gives m00 any of it.
    group = group_of([3, 2], [[0, 1], [1]])
    constraint = constraint_of(group, Policy.of(), np.array([0, 0, 0, 1, 1], np.int32))
    kinds = group.class_of
    assert constraint.allowed[group.topic_class[1], kinds[1]]
    assert not constraint.allowed[group.topic_class[1], kinds[0]]


def test_not_minimal_names_a_member_that_can_give_and_one_that_can_take() -> None:
    group = group_of([6], [[0], [0], [0]])
    with pytest.raises(NotMinimal) as caught:
        constraint_of(group, Policy.of(), np.array([0, 0, 0, 0, 1, 2], np.int32))
    assert caught.value.heavy == 0
    assert caught.value.light in (1, 2)


def test_not_minimal_names_the_topic_where_topics_count_one_by_one() -> None:
    group = group_of([2, 2], [[0, 1], [0, 1]])
    with pytest.raises(NotMinimal) as caught:
        constraint_of(group, Policy.of("kip-169"), np.array([0, 1, 0, 0], np.int32))
    assert caught.value.topic == 1


@pytest.mark.parametrize("name", ODD)
def test_no_constraint_admits_any_valid_assignment(name: str) -> None:
    group = ODD[name]()
    for policy in POLICIES:
        assigned = balanced_assignment(group, policy)
        assert unconstrained(group).admits(group, assigned)


def test_an_assignment_outside_its_topic_interval_is_not_admitted() -> None:
    group = group_of([2, 2], [[0, 1], [0, 1]])
    policy = Policy.of("kip-169")
    constraint = constraint_of(group, policy, np.array([0, 1, 0, 1], np.int32))
    crossed = np.array([0, 0, 1, 1], np.int32)
    assert not constraint.admits(group, crossed)
    assert replace(constraint, topic_lo=None, topic_hi=None).admits(group, crossed)


@pytest.mark.parametrize(
    ("base", "free", "lo", "hi"),
    [
        ([], 3, [], []),
        ([4, 1], 0, [4, 1], [4, 1]),
        ([0, 0, 0], 7, [2, 2, 2], [3, 3, 3]),
        ([0, 0, 0], 6, [2, 2, 2], [2, 2, 2]),
        ([5, 1, 0], 3, [5, 2, 2], [5, 2, 2]),
        ([5, 1, 0], 4, [5, 2, 2], [5, 3, 3]),
        ([2, 0], 2, [2, 2], [2, 2]),
        ([2, 0], 3, [2, 2], [3, 3]),
    ],
)
def test_water_fill(base: list[int], free: int, lo: list[int], hi: list[int]) -> None:
    lowest, highest = water_fill(np.array(base, np.int64), free)
    assert (lowest.tolist(), highest.tolist()) == (lo, hi)
