"""Counts by capacity are the best of all assignments, with rooms and instances."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.groups import group_of
from support.oracles import Assignments
from support.reduced_groups import best_counts, even_groups, extended_columns, random_reduced

from equilag.domain.constraint import constraint_of
from equilag.domain.errors import InputError
from equilag.domain.plan.metrics import is_valid, member_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import balanced_assignment


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
def test_tiny_groups_have_the_best_counts_of_all(seed: int, name: str) -> None:
    rng, policy = Random(seed), Policy(name)
    for _ in range(16):
        group = random_reduced(rng)
        every = Assignments.all(group, policy.pins_owned)
        best = best_counts(group, every)
        if not best.any():
            with pytest.raises(InputError, match="room for"):
                balanced_assignment(group, policy)
            continue
        found = balanced_assignment(group, policy)
        assert best[(every.rows == found).all(axis=1)].all()
        assert found in every


@pytest.mark.parametrize("seed", range(3))
def test_larger_groups_meet_the_constraint_that_they_give(seed: int) -> None:
    for group, found, constraint in even_groups(Random(seed), 5, members=40, partitions=300):
        assert is_valid(group, found)
        assert constraint.admits(found)


def test_one_subscription_shares_in_proportion_to_capacity() -> None:
    capacity = np.array([1, 2, 3, 4])
    group = replace(group_of([1000], [[0]] * 4), extended=extended_columns(4, capacity=capacity))
    found = balanced_assignment(group, Policy())
    assert member_counts(found, 4).tolist() == [100, 200, 300, 400]


def test_threads_share_what_their_process_gets() -> None:
    instance = np.array([0] * 7 + [1], dtype=np.int32)
    capacity = np.array([1] * 7 + [7])
    group = replace(
        group_of([100], [[0]] * 8),
        extended=extended_columns(8, capacity=capacity, instance_of=instance),
    )
    counts = member_counts(balanced_assignment(group, Policy()), 8)
    assert counts.tolist() == [8, 7, 7, 7, 7, 7, 7, 50]
    assert constraint_of(group, Policy(), balanced_assignment(group, Policy())).largest_count == 50
