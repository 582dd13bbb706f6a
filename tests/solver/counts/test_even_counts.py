"""Exactly even counts, against brute force and an independent flow; too little room is named."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.constraints import balanced_assignment
from support.groups import group_of, ramp, random_group, small_groups
from support.local_search import POLICIES
from support.oracles import Assignments, most_even_flow
from support.reduced_groups import best_counts, extended_columns, random_reduced

from equilag.domain.constraint import NotMinimal, constraint_of
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import is_valid, member_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_shares import count_upto, marginal_cost


def by_policy(policy: Policy) -> str:
    return f"{policy.name}-{policy.balance}"


def descending(group: Group, assigned: np.ndarray) -> list[int]:
    return sorted(member_counts(assigned, group.n_members).tolist(), reverse=True)


@pytest.mark.parametrize("policy", POLICIES, ids=by_policy)
def test_as_even_as_the_best_of_all_assignments(policy: Policy) -> None:
    for group in small_groups(seed=1, n=24):
        everything = Assignments.all(group, policy.name == "sticky-yet-fair")
        assigned = balanced_assignment(group, policy)
        assert assigned in everything.balanced(policy.balance), group


def test_the_count_whose_last_partition_costs_a_level_is_found_whatever_is_rounded() -> None:
    rng = np.random.default_rng(0)
    capacity, count = rng.integers(1, 10**6, 20_000), rng.integers(1, 10**5, 20_000)
    level = marginal_cost(count, capacity)
    assert (count_upto(level, capacity) == count).all()
    assert (count_upto(np.nextafter(level, 0.0), capacity) == count - 1).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reads", [0.15, 0.25, 0.4, 0.7])
def test_total_counts_as_an_independent_flow_finds_them(reads: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(5):
        members = int(rng.integers(2, 25))
        group = random_group(rng, topics=15, members=members, size=12, reads=reads)
        assigned = balanced_assignment(group, Policy())
        assert is_valid(group, assigned)
        assert descending(group, assigned) == most_even_flow(group).counts


def test_a_cut_falls_between_members_and_not_through_a_topic() -> None:
    """Rare among random groups: with arcs just as wide as a topic the split goes wrong here."""
    group = group_of([8, 6, 9, 2], [[0, 3], [0, 1], [1], [1, 3], [1, 3]])
    assert most_even_flow(group).counts == [4, 4, 3, 3, 2]
    assert descending(group, balanced_assignment(group, Policy())) == [4, 4, 3, 3, 2]


@pytest.mark.parametrize(("members", "level"), [(9, 40), (17, 160)])
def test_ramp_where_local_steps_get_stuck(members: int, level: int) -> None:
    group = ramp(members, level)
    policy = Policy()
    assert descending(group, balanced_assignment(group, policy)) == [level] * members
    with pytest.raises(NotMinimal):
        constraint_of(group, policy, group.owner)


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


def test_threads_share_what_their_process_gets() -> None:
    instance = np.array([0] * 7 + [1], dtype=np.int32)
    capacity = np.array([1] * 7 + [7])
    group = replace(
        group_of([100], [[0]] * 8),
        reduced=extended_columns(8, capacity=capacity, instance_of=instance),
    )
    counts = member_counts(balanced_assignment(group, Policy()), 8)
    assert counts.tolist() == [8, 7, 7, 7, 7, 7, 7, 50]
    assert constraint_of(group, Policy(), balanced_assignment(group, Policy())).largest_count == 50


@pytest.mark.parametrize(
    ("room", "reads", "owners", "problem"),
    [
        ([2, 2], [[0, 1]] * 2, [-1] * 5,
         "max_partitions: 5 partitions of t00, t01, but m00, m01 have room for 4"),
        ([2, 9], [[0, 1], [1]], [-1] * 5,
         "max_partitions: 3 partitions of t00, but m00 has room for 2"),
        # What is kept takes room.
        ([2, 9], [[0, 1]] * 2, [0, 0, 0, 1, 1],
         "members[0].max_partitions: 'm00' keeps 3 partitions and has room for 2"),
        ([3, 1], [[0, 1]] * 2, [0, 0, -1, -1, -1],
         "max_partitions: 3 partitions of t00, t01, but m00, m01 have room for 2 more"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(
    room: list[int], reads: list[list[int]], owners: list[int], problem: str
) -> None:
    columns = extended_columns(2, room=np.array(room))
    group = replace(group_of([3, 2], reads, owners), reduced=columns)
    with pytest.raises(InputError) as error:
        balanced_assignment(group, Policy("sticky-yet-fair"))
    assert str(error.value) == problem
