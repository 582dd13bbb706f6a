"""Counts and moves in closed form: the best of all assignments, and proved to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.constraints import same_constraint
from support.groups import ODD, group_of, random_group
from support.oracles import Assignments
from support.reduced_groups import best_counts, extended_columns

from equilag.certificate.checks.potentials import bound_by_potentials
from equilag.domain.constraint import constraint_of
from equilag.domain.errors import InputError
from equilag.domain.group.extended_columns import NO_LIMIT
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import count_moves, is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES, POLICIES
from equilag.solver.counts.quotas import Quotas, has_quotas, keep_to_quotas

TOTAL = Policy()


def parted(
    kinds: Sequence[Sequence[int]], members: Sequence[int], owners: Sequence[int], unread: int = 0
) -> Group:
    """`kinds[k]` are sizes of topics that only the members of kind k read; `members` [M] kinds.

    A member of a kind without topics is idle. `owners` are per partition, numbers of members of the
    partition's kind, taken modulo; −1 for nobody.
    """
    first = np.cumsum([0, *(len(sizes) for sizes in kinds)])
    sizes = [size for topics in kinds for size in topics]
    theirs = [[m for m, kind in enumerate(members) if kind == k] for k in range(len(kinds))]
    kind_of = [k for k, topics in enumerate(kinds) for size in topics for _ in range(size)]
    owned = [
        theirs[kind][owner % len(theirs[kind])] if owner >= 0 and theirs[kind] else NOBODY
        for kind, owner in zip(kind_of, owners, strict=True)
    ]
    subscriptions = [list(range(first[k], first[k + 1])) for k in members]
    return group_of([*sizes, unread], subscriptions, [*owned, *[NOBODY] * unread])


@st.composite
def parted_groups(draw: st.DrawFn, limit: int = 400) -> Group:
    """Up to three kinds of members, idle ones, topics nobody reads, claims on far too much."""
    kinds = draw(
        st.lists(st.lists(st.integers(0, 4), max_size=2), min_size=1, max_size=3).map(
            lambda found: [*found, []]
        )
    )
    members = draw(st.lists(st.integers(0, len(kinds) - 1), max_size=6))
    total = 1
    for kind, sizes in enumerate(kinds):
        readers = max(1, members.count(kind))
        for topic, size in enumerate(sizes):
            while total * readers**size > limit:
                size -= 1
            sizes[topic] = size
            total *= readers**size
    n = sum(size for sizes in kinds for size in sizes)
    claims = draw(st.sampled_from([st.just(0), st.integers(-1, 1), st.integers(-1, 5)]))
    owners = draw(st.lists(claims, min_size=n, max_size=n))
    return parted(kinds, members, owners, draw(st.integers(0, 2)))


def kept_to(group: Group) -> Quotas:
    """The plan, with all that can be checked without an oracle checked."""
    owner = group.owner.copy()
    found = keep_to_quotas(group)
    assert np.array_equal(group.owner, owner)
    assert is_valid(group, found.assigned)
    assert found.constraint(group).admits(found.assigned)
    assert count_moves(group, found.assigned) == found.moves
    assert (
        bound_by_potentials(group, found.constraint(group), found.potentials(group)) == found.moves
    )
    return found


def is_best_of_all(group: Group) -> Quotas:
    found = kept_to(group)
    truth = Assignments.all(group).balanced("total")
    assert found.assigned in truth
    assert found.moves == truth.moves.min()
    return found


def proved_by_the_plan(group: Group) -> None:
    """Whoever checks the plan derives the constraint from it, and proves as many moves."""
    found = kept_to(group)
    derived = constraint_of(group, TOTAL, found.assigned)
    assert same_constraint(found.constraint(group), derived)
    assert bound_by_potentials(group, derived, found.potentials(group)) == found.moves


@given(parted_groups())
def test_the_best_of_all_assignments(group: Group) -> None:
    if has_quotas(group, TOTAL):
        is_best_of_all(group)
        proved_by_the_plan(group)


@pytest.mark.parametrize("name", ODD)
def test_odd_groups(name: str) -> None:
    group = ODD[name]()
    if has_quotas(group, TOTAL):
        proved_by_the_plan(group)


def test_the_constraint_is_that_of_the_plan() -> None:
    """Of classes whose counts are close to each other, or lie far apart."""
    rng = np.random.default_rng(62)
    for number in range(200):
        kinds = [[int(n)] for n in rng.integers(1, 9, rng.integers(1, 4))]
        if number % 3 == 0:
            kinds = [[int(rng.integers(1, 4))], [int(rng.integers(20, 30))], []]
        members = [*range(len(kinds)), *rng.integers(0, len(kinds), 4).tolist()]
        owners = rng.integers(-1, 3, sum(map(sum, kinds))).tolist()
        group = parted(kinds, members, owners, unread=2 * (number % 3 == 0))
        assert has_quotas(group, TOTAL)
        proved_by_the_plan(group)


# Where there are none.


def alike_or_apart(group: Group) -> bool:
    read = [set(group.class_topics[kind].tolist()) for kind in group.class_of.tolist()]
    return any(read) and all(a == b or not a & b for a, b in combinations(read, 2))


def test_only_where_members_are_alike_or_have_nothing_in_common() -> None:
    rng = np.random.default_rng(64)
    found = []
    for number in range(400):
        group = random_group(rng, topics=4, members=4, size=3, reads=(0.3, 0.6, 0.9)[number % 3])
        found.append(has_quotas(group, TOTAL))
        assert found[-1] == alike_or_apart(group)
    assert 50 < sum(found) < 350


def test_only_where_totals_decide_and_nothing_is_pinned() -> None:
    group = group_of([4], [[0]] * 2, [0, 0, 1, 1])
    said = {
        (name, balance): has_quotas(group, Policy(name, balance))
        for name in POLICIES
        for balance in BALANCES
    }
    assert {key for key, yes in said.items() if yes} == {
        (name, "total") for name in POLICIES if name != "sticky-yet-fair"
    }


@pytest.mark.parametrize("seed", range(8))
def test_capacities_and_rooms_have_quotas(seed: int) -> None:
    rng = Random(seed)
    for _ in range(40):
        kinds = [[rng.randint(0, 3)], [rng.randint(0, 3), 1]]
        members = [rng.randint(0, 1) for _ in range(rng.randint(1, 4))]
        owners = [rng.randint(-1, 3) for _ in range(sum(map(sum, kinds)))]
        group = parted(kinds, members, owners, rng.randint(0, 1))
        n = group.n_members
        room = np.array([rng.choice((1, 2, 3, NO_LIMIT)) for _ in range(n)])
        capacity = np.array([rng.choice((1, 1, 2, 3)) for _ in range(n)])
        group = replace(group, reduced=extended_columns(n, capacity=capacity, room=room))
        if not has_quotas(group, TOTAL):
            continue
        every = Assignments.all(group)
        best = best_counts(group, every)
        if not best.any():
            with pytest.raises(InputError, match="room for"):
                keep_to_quotas(group)
            continue
        found = keep_to_quotas(group)
        assert best[(every.rows == found.assigned).all(axis=1)].all()
        assert found.moves == every.moves[best].min() == count_moves(group, found.assigned)
        constraint = constraint_of(group, TOTAL, found.assigned)
        assert same_constraint(found.constraint(group), constraint)
        assert bound_by_potentials(group, constraint, found.potentials(group)) == found.moves
        assert found.claims(group)[0].value == constraint.largest_count
