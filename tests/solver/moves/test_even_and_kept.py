"""Even counts and the fewest moves together on augmenting paths, and the potentials they leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from support.constraints import constraint_for
from support.groups import ODD, group_of, groups, random_group, small_groups
from support.oracles import Assignments

from equilag.certificate.checks.potentials import bound_by_potentials
from equilag.domain.constraint import constraint_of
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import count_moves, is_valid, member_counts
from equilag.domain.policy.policy import Policy
from equilag.solver.moves.even_and_kept import EvenAndKept, is_small, keep_evenly
from equilag.solver.moves.fewest_moves import fewest_moves

TOTAL = Policy("fair-yet-sticky")


def checked(group: Group) -> EvenAndKept:
    """What is found: as even as can be (or there is no constraint), with proved moves."""
    found = keep_evenly(group)
    assert is_valid(group, found.assigned)
    assert count_moves(group, found.assigned) == found.moves
    constraint = constraint_of(group, TOTAL, found.assigned)
    assert bound_by_potentials(group, constraint, found.potentials()) == found.moves
    return found


@pytest.mark.parametrize("reads", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("owned", [0.0, 0.8])
def test_the_best_of_all_assignments(reads: float, owned: float) -> None:
    for group in small_groups(seed=31, n=24, reads=reads, owned=owned):
        found, best = checked(group), Assignments.all(group).balanced("total")
        assert found.assigned in best
        assert found.moves == int(best.moves.min())


@given(groups(limit=200))
def test_the_best_of_all_assignments_of_odd_shapes(group: Group) -> None:
    assert checked(group).moves == int(Assignments.all(group).balanced("total").moves.min())


@pytest.mark.parametrize("seed", range(8))
def test_as_the_flows_find_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reads, owned = float(rng.uniform(0.05, 0.9)), float(rng.choice([0.0, 0.5, 0.9]))
    group = random_group(rng, members=30, topics=25, size=9, reads=reads, owned=owned)
    found, flow = checked(group), fewest_moves(group, constraint_for(group, TOTAL)).assigned
    counts = [member_counts(some, group.n_members) for some in (found.assigned, flow)]
    assert np.array_equal(*map(np.sort, counts))
    assert found.moves == count_moves(group, flow)


@pytest.mark.parametrize("seed", range(6))
def test_a_forest_of_subscriptions_leaves_no_choice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Each topic joins a new member to one that is there: a tree. Each member gets 5 partitions.
    reading, owners = [[0]], [[0] * 5]
    for topic in range(1, int(rng.integers(2, 12))):
        reading[int(rng.integers(len(reading)))].append(topic)
        reading.append([topic])
        owners.append([len(reading) - 1] * 5)
    group = group_of([len(some) for some in owners], reading, [m for some in owners for m in some])
    shuffled = replace(group, owner=rng.permutation(group.owner))
    held = shuffled.may_hold(np.arange(group.n_partitions), np.maximum(shuffled.owner, 0))
    drifted = replace(group, owner=np.where(held, shuffled.owner, -1).astype(np.int32))
    for some in (group, drifted):
        found = checked(some)
        assert found.flows is None
        flow = fewest_moves(some, constraint_for(some, TOTAL)).assigned
        assert found.moves == count_moves(some, flow)


def test_what_nobody_reads_stays_where_it_is() -> None:
    group = group_of([2, 3, 2], [[0], [0, 2]], owners=[0, 0, -1, -1, -1, 0, -1])
    assert checked(group).assigned.tolist()[2:5] == [-1, -1, -1]


@pytest.mark.parametrize("name", ODD)
def test_odd_groups(name: str) -> None:
    group = ODD[name]()
    if is_small(group, TOTAL):
        checked(group)


def test_only_small_groups_under_total_counts_are_taken() -> None:
    small = group_of([2, 3], [[0], [0, 1]])
    assert is_small(small, TOTAL)
    assert not is_small(small, Policy("kip-169"))
    assert not is_small(small, Policy("sticky-yet-fair"))
    assert not is_small(group_of([1] * 600, [[0, 1], [0]] * 30), TOTAL)
