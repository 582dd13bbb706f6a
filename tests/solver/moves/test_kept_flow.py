"""The fewest moves under counts by capacity: the best of all assignments, and proved."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.oracles import Assignments
from support.reduced_groups import best_counts, even_groups, random_reduced

from equilag.domain.constraint import CountConstraint, constraint_of, within_room
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import count_moves, cross_reads
from equilag.domain.policy.policy import Policy
from equilag.solver.counts.even_counts import balanced
from equilag.solver.moves.fewest_moves import fewest_across, fewest_moves


def fewest_of(group: Group, constraint: CountConstraint) -> int:
    """The moves of the plan that is found, which is admitted and proved."""
    found = fewest_moves(group, constraint)
    assert constraint.admits(found.assigned)
    moves = count_moves(group, found.assigned)
    assert found.claim(group, Policy(), constraint).value == moves
    return moves


@pytest.mark.parametrize("seed", range(3))
def test_no_assignment_with_the_best_counts_moves_less(seed: int) -> None:
    rng = Random(seed)
    for _ in range(12):
        group = random_reduced(rng)
        every = Assignments.all(group)
        best = best_counts(group, every)
        if best.any():
            _, constraint = balanced(group, Policy())
            assert fewest_of(group, constraint) == every.moves[best].min()


@pytest.mark.parametrize("seed", range(3))
def test_no_assignment_within_the_rooms_moves_less(seed: int) -> None:
    rng = Random(seed)
    for _ in range(8):
        group = random_reduced(rng)
        every = Assignments.all(group)
        constraint = within_room(group, np.zeros(group.n_partitions, np.bool_))
        fits = np.array([constraint.admits(row) for row in every.rows])
        if fits.any():
            assert fewest_of(group, constraint) == every.moves[fits].min()


@pytest.mark.parametrize("seed", range(3))
def test_racks_come_before_moves_and_after_instances(seed: int) -> None:
    rng = Random(seed)
    policy = Policy(rack_aware=True)
    for _ in range(8):
        group = random_reduced(rng)
        cross = [[rng.randint(0, 1) for _ in row] for row in group.eligible]
        assert group.extended is not None
        group = replace(group, extended=group.extended._replace(cross=np.array(cross)))
        every = Assignments.all(group)
        best = best_counts(group, every)
        if not best.any():
            continue
        reads = np.array([cross_reads(group, row) for row in every.rows])
        best &= reads == reads[best].min()
        constraint = fewest_across(balanced(group, Policy())[1])[1]
        assert [constraint.admits(row) for row in every.rows] == best.tolist()
        read_off = constraint_of(group, policy, every.rows[int(best.argmax())])
        assert [read_off.admits(row) for row in every.rows] == best.tolist()
        assert fewest_of(group, constraint) == every.moves[best].min()


@pytest.mark.parametrize("seed", range(3))
def test_larger_groups_prove_what_they_reach(seed: int) -> None:
    for group, found, constraint in even_groups(Random(seed), 5, members=30, partitions=200):
        assert fewest_of(group, constraint) <= count_moves(group, found)
