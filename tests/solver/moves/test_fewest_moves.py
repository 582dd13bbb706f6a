"""Fewest moves under the counts, and potentials that prove them and never more than them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.constraints import balanced_assignment, constraint_for
from support.groups import random_group, small_groups
from support.oracles import Assignments, most_even_flow
from support.reduced_groups import best_counts, even_groups, random_reduced

from equilag.certificate.checks.potentials import Potentials, bound_by_potentials, bound_by_topics
from equilag.domain.constraint import CountConstraint, constraint_of, within_room
from equilag.domain.group.group import Group, Member
from equilag.domain.plan.metrics import count_moves, cross_reads, is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.counts.cheapest_flow import fewest_reads
from equilag.solver.counts.even_counts import balanced
from equilag.solver.moves.fewest_moves import fewest_moves


def agrees_with_brute_force(group: Group, balance: str) -> None:
    policy = Policy(balance=balance)
    constraint = constraint_for(group, policy)
    truth = int(Assignments.all(group).balanced(balance).moves.min())
    found = fewest_moves(group, constraint)
    assert is_valid(group, found.assigned)
    assert constraint.admits(found.assigned)
    assert count_moves(group, found.assigned) == truth
    assert bound_by_potentials(group, constraint, found.potentials) == truth
    if balance == "per-topic":
        assert bound_by_topics(group, constraint) == truth


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("reads", [0.4, 0.7, 1.0])
def test_fewest_of_all_assignments(balance: str, reads: float) -> None:
    for group in small_groups(seed=21, n=32, reads=reads, owned=0.9):
        agrees_with_brute_force(group, balance)


@pytest.mark.parametrize("balance", BALANCES)
def test_what_is_pinned_does_not_move(balance: str) -> None:
    for group in small_groups(seed=22, n=24):
        constraint = constraint_for(group, Policy("sticky-yet-fair", balance))
        assigned = fewest_moves(group, constraint).assigned
        assert assigned in Assignments.all(group, keep_owned=True).balanced(balance)


@pytest.mark.parametrize("seed", range(5))
def test_fewest_as_an_independent_flow_finds_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reads, owned = (0.15, 0.3, 0.6, 1.0)[seed % 4], (0.5, 1.0)[seed % 2]
    group = random_group(rng, topics=20, members=30, size=15, reads=reads, owned=owned)
    constraint = constraint_for(group, Policy())
    truth = most_even_flow(group).moves
    found = fewest_moves(group, constraint)
    assert constraint.admits(found.assigned)
    assert count_moves(group, found.assigned) == truth
    assert bound_by_potentials(group, constraint, found.potentials) == truth


@pytest.mark.parametrize("balance", BALANCES)
def test_no_potentials_prove_too_much(balance: str) -> None:
    rng = np.random.default_rng(23)
    proved = 0
    for group in small_groups(seed=23, n=24, owned=0.9):
        constraint = constraint_for(group, Policy(balance=balance))
        truth = int(Assignments.all(group).balanced(balance).moves.min())
        for _ in range(8):
            potentials = Potentials(
                rng.integers(-1, 3, len(group.topics))[group.topic_of],
                rng.integers(-2, 2, group.n_members),
            )
            bound = bound_by_potentials(group, constraint, potentials)
            assert bound is None or bound <= truth
            proved += bound is not None and bound > 0
    assert (proved > 0) == (balance != "none")  # without counts, no move is forced


def test_members_of_one_class_read_in_their_racks() -> None:
    """One class of partitions, and still not every member may take them."""
    members = [Member("far", rack="b"), Member("near", rack="a"), Member("anywhere")]
    group = Group.build(
        name="g",
        topics={"t": 2},
        members=members,
        subscriptions={member.id: ["t"] for member in members},
        owned={"far": {"t": [0, 1]}},
        racks={"t": [["a"], ["a"]]},
    )
    reduced = reduce_group(group, Policy(rack_aware=True)).group
    counts = constraint_for(reduced, Policy())
    assert count_moves(reduced, fewest_moves(reduced, counts).assigned) == 1
    narrowed = fewest_reads(counts, balanced_assignment(reduced, Policy()))[1]
    found = fewest_moves(reduced, narrowed)
    assert narrowed.admits(found.assigned)
    assert count_moves(reduced, found.assigned) == 2


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
            constraint = balanced(group, Policy())[1]()
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
        group = replace(group, reduced=group.extended._replace(cross=np.array(cross)))
        every = Assignments.all(group)
        best = best_counts(group, every)
        if not best.any():
            continue
        reads = np.array([cross_reads(group, row) for row in every.rows])
        best &= reads == reads[best].min()
        assigned, counts = balanced(group, Policy())
        constraint = fewest_reads(counts(), assigned)[1]
        assert [constraint.admits(row) for row in every.rows] == best.tolist()
        read_off = constraint_of(group, policy, every.rows[int(best.argmax())])
        assert [read_off.admits(row) for row in every.rows] == best.tolist()
        assert fewest_of(group, constraint) == every.moves[best].min()


@pytest.mark.parametrize("seed", range(3))
def test_larger_groups_prove_what_they_reach(seed: int) -> None:
    for group, found, constraint in even_groups(Random(seed), 5, members=30, partitions=200):
        assert fewest_of(group, constraint) <= count_moves(group, found)
