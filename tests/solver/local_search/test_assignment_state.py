"""The state of an assignment says after any changes what a new one would; pairs, best first."""

from __future__ import annotations

import numpy as np
import pytest
from support.constraints import balanced_assignment, held_table
from support.groups import random_group
from support.reduced_groups import random_capacities

from equilag.domain.constraint import constraint_of
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.metrics import loads_of, member_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.solver.local_search.assignment_state import AssignmentState, disjoint_pairs


def state_of(group: Group, policy: Policy) -> AssignmentState:
    assigned = balanced_assignment(group, policy)
    return AssignmentState.of(group, constraint_of(group, policy, assigned), assigned)


def check(state: AssignmentState) -> None:
    group, assigned = state.group, state.assigned
    loads = loads_of(group, assigned)
    assert np.allclose(state.loads, loads.column, rtol=1e-12)
    assert state.spread == pytest.approx(float(loads.spread))
    assert np.array_equal(state.counts, member_counts(assigned, group.n_members))
    if state.constraint.per_topic:
        assert np.array_equal(state.per_topic, held_table(group, assigned))
    else:
        assert state.per_topic is None
    order, start = state.by_member()
    for member in range(group.n_members):
        mine = np.flatnonzero((assigned == member) & state.movable)
        assert np.array_equal(state.held_by(member), mine)
        assert np.array_equal(order[start[member] : start[member + 1]], mine)
        assert sorted(state.held[member]) == mine.tolist()
        others = [p for p in state.takeable(member) if assigned[p] != member and state.movable[p]]
        assert state.others_for(member).tolist() == others


@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
@pytest.mark.parametrize("balance", BALANCES)
def test_every_change_is_followed(balance: str, name: str) -> None:
    rng, changes = np.random.default_rng(301), 0
    for number in range(25):
        group = random_group(rng, topics=4, members=6, size=6)
        if number % 2 and balance == "total":
            group = random_capacities(rng, group)
        state = state_of(group, Policy(name, balance))
        check(state)
        for step in range(12):
            free = np.flatnonzero(state.movable)
            if not len(free):
                break
            some = rng.choice(free, min(len(free), 3), replace=False)
            takers = rng.integers(0, group.n_members, len(some)).astype(np.int32)
            match step % 4:
                case 0:
                    state.pass_on(int(some[0]), int(state.assigned[some[0]]), int(takers[0]))
                    assert state.assigned[some[0]] == takers[0]
                case 1:
                    state.transfer(some, takers)
                    assert np.array_equal(state.assigned[some], takers)
                case 2:
                    state.settle(int(some[0]))
                    assert not state.movable[some[0]]
                case _:
                    before = state.assigned.copy()
                    back = np.array([some[1] if len(some) > 1 else NOBODY])
                    state.exchange(some[:1], back, before[some[:1]], takers[:1])
                    assert state.assigned[some[0]] == takers[0]
                    assert back[0] == NOBODY or state.assigned[back[0]] == before[some[0]]
            check(state)
            changes += 1
    assert changes > 100


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_taken_best_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_members = int(rng.integers(2, 12))
    one, other = (rng.integers(n_members, size=int(seed)) for _ in range(2))
    used: set[int] = set()
    expected = []
    for number, pair in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        if used.isdisjoint(pair):
            expected.append(number)
            used.update(pair)
    assert sorted(disjoint_pairs(one, other, n_members).tolist()) == expected
