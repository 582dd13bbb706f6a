"""Sweeps, neighbourhoods and trades: they keep the constraint and never make a plan worse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import pytest
from support.groups import LAG_KINDS, ODD, group_of, random_group, small_groups
from support.oracles import Assignments

from equilag.constraint import CountConstraint, constraint_of
from equilag.group import Group, Index
from equilag.metrics import count_moves, is_valid, member_loads, spread
from equilag.policy import BALANCES, Policy
from equilag.solver.counts.even_counts import balanced_assignment
from equilag.solver.local_search.greedy_descent import downhill, homeward
from equilag.solver.local_search.large_neighbourhood import improve
from equilag.solver.local_search.pairwise_swaps import sweep
from equilag.solver.moves.fewest_moves import fewest_moves

BULK: Final[dict[str, Callable[..., Index]]] = {"sweep": sweep, "improve": improve}
POLICIES: Final = [
    Policy.of(name, balance) for balance in BALANCES for name in ("lag-aware", "sticky-yet-fair")
]


def never() -> bool:
    return False


def spread_of(group: Group, assigned: Index) -> int:
    return spread(member_loads(assigned, group.lag, group.n_members), group.idle)


def starts(seed: int, n: int) -> Iterator[tuple[Group, Policy, CountConstraint, Index]]:
    """Groups of some size under every policy, each with an assignment to begin with."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        group = random_group(
            rng, topics=6, members=10, size=9, reads=(0.3, 0.6, 1.0)[number % 3],
            kind=LAG_KINDS[number % len(LAG_KINDS)],
        )  # fmt: skip
        for policy in POLICIES:
            yield group, policy, *start(group, policy, keep=bool(number % 2))


def start(group: Group, policy: Policy, keep: bool) -> tuple[CountConstraint, Index]:
    assigned = balanced_assignment(group, policy)
    constraint = constraint_of(group, policy, assigned)
    return constraint, fewest_moves(group, constraint).assigned if keep else assigned


@pytest.mark.parametrize("keep_moves", [False, True])
@pytest.mark.parametrize("method", BULK)
def test_no_bulk_method_makes_a_plan_worse(method: str, keep_moves: bool) -> None:
    better = 0
    # With a limit on moves a neighbourhood costs some 50 ms.
    size = {"n": 15, "rounds": 40} if method == "sweep" else {"n": 5, "rounds": 6}
    for group, _, constraint, assigned in starts(seed=51, n=size["n"]):
        given = assigned.copy()
        found = BULK[method](
            group, constraint, assigned, np.random.default_rng(1), never,
            rounds=size["rounds"], keep_moves=keep_moves,
        )  # fmt: skip
        assert np.array_equal(assigned, given)
        assert is_valid(group, found)
        assert constraint.admits(found)
        assert spread_of(group, found) <= spread_of(group, given)
        better += spread_of(group, found) < spread_of(group, given)
        if keep_moves:
            assert count_moves(group.owner, found) <= count_moves(group.owner, given)
    assert better > 5


@pytest.mark.parametrize("method", BULK)
def test_bulk_methods_stop_when_told_or_satisfied(method: str) -> None:
    for group, _, constraint, assigned in starts(seed=52, n=4):
        rng = np.random.default_rng(1)
        found = BULK[method](group, constraint, assigned, rng, lambda: True)
        assert np.array_equal(found, assigned)
        enough = spread_of(group, assigned)
        found = BULK[method](group, constraint, assigned, rng, never, enough=enough)
        assert np.array_equal(found, assigned)


@pytest.mark.parametrize("method", BULK)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.balance}")
@pytest.mark.parametrize("name", ODD)
def test_odd_groups(name: str, policy: Policy, method: str) -> None:
    group = ODD[name]()
    constraint, assigned = start(group, policy, keep=True)
    found = BULK[method](group, constraint, assigned, np.random.default_rng(1), never, rounds=3)
    assert constraint.admits(found)
    assert spread_of(group, found) <= spread_of(group, assigned)


@pytest.mark.parametrize("method", BULK)
def test_same_seed_same_answer(method: str) -> None:
    for group, _, constraint, assigned in starts(seed=53, n=2):
        first, second = (
            BULK[method](group, constraint, assigned, np.random.default_rng(7), never, rounds=20)
            for _ in range(2)
        )
        assert np.array_equal(first, second)


def test_neighbourhoods_solve_what_fits_into_one() -> None:
    """Four members and few partitions are one neighbourhood, and its best split is the best."""
    for group in small_groups(seed=54, n=15, limit=1000, members=2, size=5, reads=1.0):
        policy = Policy.of()
        constraint, assigned = start(group, policy, keep=False)
        found = improve(group, constraint, assigned, np.random.default_rng(1), never)
        truth = Assignments.all(group).balanced("total").spread.min()
        assert spread_of(group, found) == truth


def test_sweeps_even_out_a_plain_group() -> None:
    group = group_of([40], [[0]] * 4, lags=range(40))
    constraint, assigned = start(group, Policy.of(), keep=False)
    found = sweep(group, constraint, assigned, np.random.default_rng(1), never)
    assert spread_of(group, assigned) == 300
    assert spread_of(group, found) <= 4


# One step at a time: from the fewest moves downhill, and home again.


def test_downhill_goes_down_and_keeps_the_constraint() -> None:
    steps = 0
    for group, _, constraint, assigned in starts(seed=55, n=15):
        last = spread_of(group, assigned)
        given = assigned.copy()
        for found in downhill(
            group, constraint, assigned, np.random.default_rng(0), never, steps=60
        ):
            assert constraint.admits(found)
            assert spread_of(group, found) <= last
            last = spread_of(group, found)
            steps += 1
        assert np.array_equal(assigned, given)
    assert steps > 50


def test_downhill_takes_no_more_steps_than_asked_and_none_when_stopped() -> None:
    group = group_of([12], [[0]] * 3, lags=[2**n for n in range(12)])
    constraint, assigned = start(group, Policy.of(), keep=False)
    assert (
        len(list(downhill(group, constraint, assigned, np.random.default_rng(0), never, steps=2)))
        == 2
    )
    assert (
        list(downhill(group, constraint, assigned, np.random.default_rng(0), lambda: True, steps=5))
        == []
    )


def test_downhill_prefers_what_costs_no_move() -> None:
    # Either of m00's could go to m01; t00-1 is nobody's, so that moving it is free.
    group = group_of([4], [[0], [0]], owners=[0, -1, 1, 1], lags=[30, 30, 10, 10])
    constraint, _ = start(group, Policy.of(), keep=True)
    assigned = np.array([0, 0, 1, 1], np.int32)
    first = next(downhill(group, constraint, assigned, np.random.default_rng(0), never, steps=1))
    assert first[0] == 0
    assert first[1] == 1


@pytest.mark.parametrize("slack", [0, 10, 10**6])
def test_homeward_saves_moves_within_the_spread(slack: int) -> None:
    saved = 0
    for group, _, constraint, assigned in starts(seed=56, n=15):
        rng = np.random.default_rng(1)
        even = sweep(group, constraint, assigned, rng, never, rounds=40)
        limit = spread_of(group, even) + slack
        home = homeward(group, constraint, even, limit, never)
        assert constraint.admits(home)
        assert spread_of(group, home) <= limit
        before, after = count_moves(group.owner, even), count_moves(group.owner, home)
        assert after <= before
        saved += before - after
    assert saved > 0


def test_homeward_brings_everything_home_where_nothing_is_against_it() -> None:
    owners = [0, 1, 2] * 3
    group = group_of([9], [[0]] * 3, owners=owners, lags=[5] * 9)
    constraint, _ = start(group, Policy.of(), keep=True)
    away = np.array([1, 2, 0] * 3, np.int32)
    home = homeward(group, constraint, away, 0, never)
    assert home.tolist() == owners
    assert homeward(group, constraint, away, 0, lambda: True).tolist() == away.tolist()


def test_homeward_fills_an_empty_place() -> None:
    group = group_of([3], [[0]] * 2, owners=[0, 0, 1], lags=[1, 1, 1])
    constraint, _ = start(group, Policy.of(), keep=True)
    away = np.array([0, 1, 1], np.int32)
    assert homeward(group, constraint, away, 1, never).tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ODD)
def test_trades_on_odd_groups(name: str) -> None:
    group = ODD[name]()
    for policy in POLICIES:
        constraint, assigned = start(group, policy, keep=False)
        for found in downhill(
            group, constraint, assigned, np.random.default_rng(0), never, steps=5
        ):
            assert constraint.admits(found)
        limit = spread_of(group, assigned)
        home = homeward(group, constraint, assigned, limit, never)
        assert constraint.admits(home)
        assert spread_of(group, home) <= limit
