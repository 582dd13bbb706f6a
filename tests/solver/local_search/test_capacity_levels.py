"""Local searches where members differ in capacity: inside the constraint, never worse, strong."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.local_search import never
from support.reduced_groups import capacity_cases, with_capacities

from benchmarks.assignors.lags import lags
from equilag.certificate.bounds.counting import Counting
from equilag.domain.budget import Budget
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import roughly
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.metrics import count_moves, is_valid, loads_of
from equilag.solver.exchange.pairwise_swaps import swap_pairwise
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.bulk_descent import descend_in_bulk
from equilag.solver.local_search.capacity_levels import level_by_capacity
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.large_neighbourhood import search_neighbourhoods
from equilag.solver.local_search.load_targets import ImprovementGoal
from equilag.solver.local_search.way_back import UnevennessLimit, return_to_owners
from equilag.solver.lower_bounds.load_bounds import crowd, load_bounds


def spread_of(group: Group, assigned: Index) -> Load:
    return loads_of(group, assigned).spread


def kept(group: Group, constraint: CountConstraint, found: Index) -> bool:
    return is_valid(group, found) and constraint.admits(found)


def test_loads_of_a_state_follow_every_change() -> None:
    for group, constraint, assigned in capacity_cases(seed=3, n=10):
        state = AssignmentState.of(group, constraint, assigned)
        free = np.flatnonzero(constraint.free)
        if len(free) < 3:
            continue
        state.pass_on(int(free[0]), int(state.assigned[free[0]]), 0)
        state.transfer(free[1:3], np.array([1, 0]))
        assert np.allclose(state.loads, loads_of(group, state.assigned).column, rtol=1e-12)


@pytest.mark.parametrize("stakes", [False, True])
def test_searches_keep_counts_and_are_never_worse(stakes: bool) -> None:
    better = 0
    for group, constraint, assigned in capacity_cases(seed=5, n=9, stakes=stakes):
        rng, before = np.random.default_rng(1), spread_of(group, assigned)
        swaps = swap_pairwise(
            group, constraint, assigned, rng, never, ImprovementGoal(keep_moves=True), 20
        )
        assert count_moves(group, swaps) <= count_moves(group, assigned)
        split = search_neighbourhoods(
            group, constraint, assigned, rng, Budget(10**7), ImprovementGoal(), 4
        )
        level = level_by_capacity(group, constraint, assigned, rng, never, len(assigned) % 4)
        for found in (swaps, split, level):
            assert kept(group, constraint, found)
            assert spread_of(group, found) <= before
        better += spread_of(group, level) < before
    assert better > 2


@pytest.mark.parametrize("stakes", [False, True])
def test_ways_down_and_back(stakes: bool) -> None:
    down = back = 0
    for group, constraint, assigned in capacity_cases(seed=7, n=9, stakes=stakes):
        rng = np.random.default_rng(1)
        last = assigned
        for walk in (
            descend(group, constraint, assigned, rng, never, 20),
            descend_in_bulk(group, constraint, assigned, rng, never),
        ):
            for found in walk:
                assert kept(group, constraint, found)
                last = found
        down += spread_of(group, last) < spread_of(group, assigned)
        most = loads_of(group, last).excess
        limit = UnevennessLimit(roughly(spread_of(group, last)), most * (1 + 1e-9))
        found = return_to_owners(group, constraint, last, limit, never)
        assert kept(group, constraint, found)
        assert count_moves(group, found) <= count_moves(group, last)
        assert spread_of(group, found) <= limit.spread
        back += count_moves(group, found) < count_moves(group, last)
    assert down > 2
    assert back > 0


def test_one_subscription_comes_close_to_the_bound() -> None:
    rng = np.random.default_rng(2)
    for seed in range(3):
        capacity = rng.integers(1, 5, 120)
        size = 4 * int(capacity.sum())
        plain = group_of([size], [[0]] * 120, lags=lags("lognormal", size, seed))
        group = with_capacities(plain, capacity.tolist())
        constraint = CountConstraint.by_intervals(group, 4 * capacity - 1, 4 * capacity + 1)
        assigned = rng.permutation(np.repeat(np.arange(120), 4 * capacity)).astype(np.int32)
        counting = Counting(group, constraint)
        bounds = load_bounds(counting, never)
        assert bounds is not None
        heaviest = crowd(counting, counting.active)
        found = level_by_capacity(group, constraint, assigned, rng, never, heaviest)
        figures = loads_of(group, found)
        assert constraint.admits(found)
        assert figures.spread - bounds.spread <= 0.001 * figures.mean
