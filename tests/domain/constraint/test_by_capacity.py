"""The constraint by capacity admits the assignments with the best counts, and no others."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.groups import group_of
from support.oracles import Assignments
from support.reduced_groups import best_counts, extended_columns, random_reduced

from equilag.domain.constraint import NotMinimal, constraint_of
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy

POLICIES = [Policy("lag-aware"), Policy("sticky-yet-fair")]


@pytest.mark.parametrize("seed", range(4))
def test_admits_exactly_the_best_counts(seed: int) -> None:
    rng = Random(seed)
    for _ in range(16):
        group = random_reduced(rng, mixed=seed % 2 == 0)
        for policy in POLICIES:
            every = Assignments.all(group, policy.pins_owned)
            best = best_counts(group, every)
            for row in rng.sample(np.flatnonzero(best).tolist(), min(2, int(best.sum()))):
                constraint = constraint_of(group, policy, every.rows[row])
                assert [constraint.admits(other) for other in every.rows] == best.tolist()
            worse = np.flatnonzero(~best).tolist()
            for row in rng.sample(worse, min(8, len(worse))):
                with pytest.raises(NotMinimal):
                    constraint_of(group, policy, every.rows[row])


def two_processes(partitions: int = 5, **columns: object) -> Group:
    """Two processes of two threads."""
    group = group_of([partitions], [[0]] * 4)
    instance = np.array([0, 0, 1, 1], dtype=np.int32)
    return replace(group, reduced=extended_columns(4, instance_of=instance, **columns))


def test_steps_look_at_the_sum_of_the_instance() -> None:
    group = two_processes()
    counts = np.array([2, 1, 1, 1])
    constraint = constraint_of(group, Policy(), np.repeat(np.arange(4), counts).astype(np.int32))
    least, most = constraint.counts_of()
    assert least.tolist() == [1, 1, 1, 1]
    assert most.tolist() == [2, 2, 2, 2]
    sums = constraint.instance_sums
    assert sums.least.tolist() == [2, 2]
    assert sums.most.tolist() == [3, 3]
    every = np.arange(4)
    assert constraint.may_lose_one(counts, every).tolist() == [True, False, False, False]
    assert constraint.may_gain_one(counts, every).tolist() == [False, False, True, True]


def test_counts_that_every_member_may_have_can_be_too_many_for_an_instance() -> None:
    group = two_processes(6)
    constraint = constraint_of(group, Policy(), np.array([0, 0, 1, 2, 2, 3], dtype=np.int32))
    assert constraint.admits(np.array([0, 1, 1, 2, 2, 3], dtype=np.int32))
    assert not constraint.admits(np.array([0, 0, 1, 1, 2, 3], dtype=np.int32))


def test_a_step_that_helps_is_named_by_its_members() -> None:
    group = two_processes(capacity=np.array([1, 1, 2, 2]))
    with pytest.raises(NotMinimal) as error:
        constraint_of(group, Policy(), np.array([0, 0, 1, 2, 3], dtype=np.int32))
    assert (error.value.heavy, error.value.light) == (0, 2)


def test_members_of_different_capacities_are_not_alike() -> None:
    capacity = np.array([1, 3, 1, 3])
    group = replace(group_of([8], [[0]] * 4), reduced=extended_columns(4, capacity=capacity))
    assigned = np.array([0, 1, 1, 1, 2, 3, 3, 3], dtype=np.int32)
    constraint = constraint_of(group, Policy(), assigned)
    assert not constraint.all_alike
    assert [members.tolist() for members in constraint.alike_members()] == [[0, 2], [1, 3]]


def test_more_than_the_room_is_refused() -> None:
    group = replace(group_of([2], [[0]] * 2), reduced=extended_columns(2, room=np.array([1, 0])))
    with pytest.raises(NotMinimal):
        constraint_of(group, Policy(), np.array([0, 0], dtype=np.int32))
