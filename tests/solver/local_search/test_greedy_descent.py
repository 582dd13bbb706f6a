"""Greedy descent along the front: steps that lower the spread, and moves that are saved again."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import ODD, group_of
from support.local_search import (
    POLICIES,
    never,
    spread_of,
    start,
    starts,
)

from equilag.metrics import count_moves
from equilag.policy import Policy
from equilag.solver.local_search.greedy_descent import descend, return_to_owners
from equilag.solver.local_search.improvement_goal import ImprovementGoal
from equilag.solver.local_search.pairwise_swaps import swap_pairwise


def test_descent_goes_down_and_keeps_the_constraint() -> None:
    steps = 0
    for group, _, constraint, assigned in starts(seed=55, n=15):
        last = spread_of(group, assigned)
        given = assigned.copy()
        for found in descend(
            group, constraint, assigned, np.random.default_rng(0), never, steps=60
        ):
            assert constraint.admits(found)
            assert spread_of(group, found) <= last
            last = spread_of(group, found)
            steps += 1
        assert np.array_equal(assigned, given)
    assert steps > 50


def test_descent_takes_no_more_steps_than_asked_and_none_when_stopped() -> None:
    group = group_of([12], [[0]] * 3, lags=[2**n for n in range(12)])
    constraint, assigned = start(group, Policy.of(), keep=False)
    assert (
        len(list(descend(group, constraint, assigned, np.random.default_rng(0), never, steps=2)))
        == 2
    )
    assert (
        list(descend(group, constraint, assigned, np.random.default_rng(0), lambda: True, steps=5))
        == []
    )


def test_descent_prefers_what_costs_no_move() -> None:
    # Either of m00's could go to m01; t00-1 is nobody's, so that moving it is free.
    group = group_of([4], [[0], [0]], owners=[0, -1, 1, 1], lags=[30, 30, 10, 10])
    constraint, _ = start(group, Policy.of(), keep=True)
    assigned = np.array([0, 0, 1, 1], np.int32)
    first = next(descend(group, constraint, assigned, np.random.default_rng(0), never, steps=1))
    assert first[0] == 0
    assert first[1] == 1


@pytest.mark.parametrize("slack", [0, 10, 10**6])
def test_returning_saves_moves_within_the_spread(slack: int) -> None:
    saved = 0
    for group, _, constraint, assigned in starts(seed=56, n=15):
        rng = np.random.default_rng(1)
        even = swap_pairwise(group, constraint, assigned, rng, never, ImprovementGoal(), rounds=40)
        limit = spread_of(group, even) + slack
        home = return_to_owners(group, constraint, even, limit, never)
        assert constraint.admits(home)
        assert spread_of(group, home) <= limit
        before, after = count_moves(group.owner, even), count_moves(group.owner, home)
        assert after <= before
        saved += before - after
    assert saved > 0


def test_returning_brings_everything_back_where_nothing_prevents_it() -> None:
    owners = [0, 1, 2] * 3
    group = group_of([9], [[0]] * 3, owners=owners, lags=[5] * 9)
    constraint, _ = start(group, Policy.of(), keep=True)
    away = np.array([1, 2, 0] * 3, np.int32)
    home = return_to_owners(group, constraint, away, 0, never)
    assert home.tolist() == owners
    assert return_to_owners(group, constraint, away, 0, lambda: True).tolist() == away.tolist()


def test_returning_fills_an_empty_place() -> None:
    group = group_of([3], [[0]] * 2, owners=[0, 0, 1], lags=[1, 1, 1])
    constraint, _ = start(group, Policy.of(), keep=True)
    away = np.array([0, 1, 1], np.int32)
    assert return_to_owners(group, constraint, away, 1, never).tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ODD)
def test_trades_on_odd_groups(name: str) -> None:
    group = ODD[name]()
    for policy in POLICIES:
        constraint, assigned = start(group, policy, keep=False)
        for found in descend(group, constraint, assigned, np.random.default_rng(0), never, steps=5):
            assert constraint.admits(found)
        limit = spread_of(group, assigned)
        home = return_to_owners(group, constraint, assigned, limit, never)
        assert constraint.admits(home)
        assert spread_of(group, home) <= limit
