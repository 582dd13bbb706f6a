"""The count constraint: against brute force, by capacity, and of few reads across racks."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.constraints import balanced_assignment, same_constraint
from support.groups import group_of, small_groups
from support.oracles import Assignments
from support.reduced_groups import best_counts, drawn_reduced, extended_columns, random_reduced

import equilag
from equilag.certificate.checks.claim_checks import check_claim
from equilag.certificate.ledger import Ledger, Refuted
from equilag.domain.constraint import (
    ALL,
    CountConstraint,
    NotFewestAcross,
    NotMinimal,
    constraint_of,
)
from equilag.domain.group.group import Flags, Group
from equilag.domain.plan.metrics import topic_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.solver.counts.cheapest_flow import fewest_reads
from equilag.solver.counts.even_counts import balanced

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


UNEQUAL_POLICIES = [Policy("lag-aware"), Policy("sticky-yet-fair")]


@pytest.mark.parametrize("seed", range(4))
def test_admits_exactly_the_best_counts(seed: int) -> None:
    rng = Random(seed)
    for _ in range(16):
        group = random_reduced(rng, mixed=seed % 2 == 0)
        for policy in UNEQUAL_POLICIES:
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


POLICY = Policy(rack_aware=True)


def drawn_group(seed: int) -> Group:
    """Two or three members and up to six partitions; some without a rack."""
    while True:
        rng, seed = Random(seed), seed + 100
        group = drawn_reduced(rng, 3, 6, {"rack", "subscriptions"}, POLICY)
        if group.extended.cross is not None and group.extended.cross.any():
            return group


def admitted(constraint: CountConstraint, every: Assignments) -> Flags:
    return np.array([constraint.admits(row) for row in every.rows])


@pytest.mark.parametrize("seed", range(13))
def test_the_constraint_admits_exactly_the_best(seed: int) -> None:
    group = drawn_group(seed)
    assigned, make_counts = balanced(group, POLICY)
    counts = make_counts()
    found = fewest_reads(counts, assigned)[1]
    every = Assignments.all(group)
    even = every.where(admitted(counts, every))
    assert found.most_across == even.cross.min()
    assert admitted(found, even).tolist() == (even.cross == even.cross.min()).tolist()
    assert admitted(found, every).sum() == (even.cross == even.cross.min()).sum()
    for row, across in zip(even.rows, even.cross.tolist(), strict=True):
        if across > even.cross.min():
            with pytest.raises(NotFewestAcross):
                constraint_of(group, POLICY, row)
        else:
            assert same_constraint(constraint_of(group, POLICY, row), found)


def test_the_narrower_constraint_alone_admits_no_other() -> None:
    """Face and intervals say it all; the limit on reads only confirms it."""
    for seed in range(16):
        group = drawn_group(seed)
        every = Assignments.all(group)
        assigned, counts = balanced(group, POLICY)
        found = fewest_reads(counts(), assigned)[1]
        without = CountConstraint(
            group, *found.counts_of(), found.face, np.zeros(group.n_partitions, np.bool_)
        )
        assert admitted(found, every).tolist() == admitted(without, every).tolist()


def test_the_claim() -> None:
    group = drawn_group(3)
    assigned, counts = balanced(group, POLICY)
    constraint = fewest_reads(counts(), assigned)[1]
    key = "fewest_cross_rack", "residual"
    ledger = Ledger(group, group, POLICY, constraint, True, None)
    reads = constraint.most_across
    assert reads is not None
    check_claim(ledger, key, reads, {})
    with pytest.raises(Refuted, match="prove no more"):
        check_claim(ledger, key, reads + 1, {})
    with pytest.raises(Refuted, match="prove nothing"):
        check_claim(Ledger(group, group, POLICY, constraint, False, None), key, reads, {})
