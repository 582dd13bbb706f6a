"""Loads where members differ in capacity: followed by the state, close to the bound."""

from __future__ import annotations

import numpy as np
from support.groups import group_of
from support.local_search import never
from support.reduced_groups import capacity_cases, with_capacities

from benchmarks.assignors.lags import lags
from equilag.certificate.bounds.counting import Counting
from equilag.domain.constraint import CountConstraint
from equilag.domain.plan.metrics import loads_of
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.capacity_levels import level_by_capacity
from equilag.solver.lower_bounds.load_bounds import crowd, load_bounds


def test_loads_of_a_state_follow_every_change() -> None:
    for group, constraint, assigned in capacity_cases(seed=3, n=10):
        state = AssignmentState.of(group, constraint, assigned)
        free = np.flatnonzero(constraint.free)
        if len(free) < 3:
            continue
        state.pass_on(int(free[0]), int(state.assigned[free[0]]), 0)
        state.transfer(free[1:3], np.array([1, 0]))
        assert np.allclose(state.loads, loads_of(group, state.assigned).column, rtol=1e-12)


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
