"""The count constraint: it admits the most even assignments, all of them and no others."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from support.constraints import balanced_assignment, same_constraint
from support.groups import group_of, small_groups
from support.oracles import Assignments

import equilag
from equilag.domain.constraint import ALL, CountConstraint, NotMinimal, constraint_of
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import topic_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES

POLICIES = [
    Policy(name, balance) for balance in BALANCES for name in ("lag-aware", "sticky-yet-fair")
]


def admits_exactly_the_balanced(group: Group, policy: Policy) -> None:
    everything = Assignments.all(group, policy.name == "sticky-yet-fair")
    balanced = everything.balanced(policy.balance)
    constraint = constraint_of(group, policy, balanced_assignment(group, policy))
    for row in everything.rows:
        if row in balanced:
            assert constraint.admits(row)
            assert same_constraint(constraint_of(group, policy, row), constraint)
        else:
            assert not constraint.admits(row)
            with pytest.raises(NotMinimal):
                constraint_of(group, policy, row)


@pytest.mark.parametrize("shape", [{}, {"topics": 2, "size": 5}], ids=["wide", "tall"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.balance}")
def test_admits_the_balanced_and_no_others(policy: Policy, shape: dict[str, int]) -> None:
    for group in small_groups(seed=11, n=8, limit=250, **shape):
        admits_exactly_the_balanced(group, policy)


def test_a_pinned_partition_must_stay() -> None:
    group = group_of([2], [[0], [0]], owners=[0, NOBODY])
    constraint = constraint_of(group, Policy("sticky-yet-fair"), np.array([0, 1], np.int32))
    assert constraint.admits(np.array([0, 1], np.int32))
    assert not constraint.admits(np.array([1, 0], np.int32))


def test_blocks_say_more_than_intervals() -> None:
    # m00 alone reads t00; t01 is shared, but no balanced plan gives m00 any of it.
    group = group_of([3, 2], [[0, 1], [1]])
    constraint = constraint_of(group, Policy(), np.array([0, 0, 0, 1, 1], np.int32))
    assert constraint.may(3, ALL).tolist() == [False, True]
    assert constraint.may(np.array([2, 3]), np.array([0, 0])).tolist() == [True, False]
    assert constraint.may(np.array([[2], [3]]), np.array([0, 1])).tolist() == [
        [True, False],
        [False, True],
    ]


def test_not_minimal_names_a_member_that_can_give_and_one_that_can_take() -> None:
    group = group_of([6], [[0], [0], [0]])
    with pytest.raises(NotMinimal) as caught:
        constraint_of(group, Policy(), np.array([0, 0, 0, 0, 1, 2], np.int32))
    assert caught.value.heavy == 0
    assert caught.value.light in (1, 2)


def test_not_minimal_names_the_topic_where_topics_count_one_by_one() -> None:
    group = group_of([2, 2], [[0, 1], [0, 1]])
    with pytest.raises(NotMinimal) as caught:
        constraint_of(group, Policy("kip-169"), np.array([0, 1, 0, 0], np.int32))
    assert caught.value.topic == 1


def test_room_to_lose_and_to_gain() -> None:
    group = group_of([5], [[0], [0]])
    constraint = constraint_of(group, Policy(), np.array([0, 0, 0, 1, 1], np.int32))
    counts = np.array([3, 2])
    assert constraint.may_lose_one(counts, ALL).tolist() == [True, False]
    assert constraint.may_gain_one(counts, ALL).tolist() == [False, True]
    assert not constraint.may_gain_one(counts, 0)
    with pytest.raises(ValueError, match="one by one"):
        _ = constraint.topics


def test_room_to_lose_and_to_gain_of_a_topic() -> None:
    group = group_of([3, 2], [[0, 1], [0, 1]])
    constraint = constraint_of(group, Policy("kip-169"), np.array([0, 0, 1, 0, 1], np.int32))
    held = topic_counts(group, np.array([0, 0, 1, 0, 1], np.int32))
    topics, members = np.array([[0], [1]]), np.array([0, 1])
    assert constraint.may_lose_of_topic(held, topics, members).tolist() == [
        [True, False],
        [False, False],
    ]
    assert constraint.may_gain_of_topic(held, topics, members).tolist() == [
        [False, True],
        [False, False],
    ]
    least, most = constraint.topics.at(0, np.array([1]))
    assert (least.tolist(), most.tolist()) == ([1], [2])


def private_uses(source: str) -> list[str]:
    """Where a module takes a private field of the constraint from any object but itself."""
    private = "|".join(one.name for one in fields(CountConstraint) if one.name.startswith("_"))
    return re.findall(rf"(?<!\bself)\.(?:{private})\b|\b(?:{private})=", source)


def test_the_arrays_of_the_constraint_are_its_own() -> None:
    assert private_uses("x = constraint._least") == ["._least"]
    assert private_uses("replace(constraint, _most=1)") == ["_most="]
    assert private_uses("self._least + other._leastwise") == []
    package = Path(equilag.__file__).parent
    own = package / "domain" / "constraint"
    modules = [path for path in package.rglob("*.py") if own not in path.parents]
    assert len(modules) > 100
    assert {str(path): uses for path in modules if (uses := private_uses(path.read_text()))} == {}
