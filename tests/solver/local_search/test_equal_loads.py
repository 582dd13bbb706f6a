"""Equal loads: perfect where that is to be expected, close to the bound by capacity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest
from support.constraints import balanced_assignment
from support.groups import group_of
from support.local_search import never, spread_of, starts, window_of
from support.reduced_groups import capacity_cases, with_capacities

from benchmarks.assignors.lags import lags
from equilag.certificate.bounds.counting import Counting
from equilag.domain.constraint import CountConstraint, constraint_of
from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.plan.metrics import is_valid, loads_of, member_counts, member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.paired_exchange import MemberRows, exchange_in_pairs
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.equal_loads import divisible, equalise_loads
from equilag.solver.local_search.levelling import level_loads
from equilag.solver.lower_bounds.load_bounds import crowd, load_bounds

TOTAL = Policy()


def prepared(lags: Ints, n_members: int) -> tuple[Group, CountConstraint, Index]:
    """One subscription, and an assignment whose loads are close to each other."""
    group = group_of([len(lags)], [[0]] * n_members, lags=lags)
    assigned = balanced_assignment(group, TOTAL)
    constraint = constraint_of(group, TOTAL, assigned)
    near = exchange_in_pairs(group, assigned, np.random.default_rng(1), never)
    return group, constraint, near


@pytest.mark.parametrize(
    ("n_partitions", "n_members", "top", "unit"),
    [(100, 10, 10**5, 1), (120, 7, 10**6, 1), (301, 4, 10**7, 1), (200, 30, 10**4, 1),
     (100, 10, 10**4, 1_000)],
)  # fmt: skip
def test_perfect_plans(n_partitions: int, n_members: int, top: int, unit: int) -> None:
    lags = np.random.default_rng(2).integers(1, top + 1, n_partitions) * unit
    group, constraint, assigned = prepared(lags, n_members)
    given = assigned.copy()
    found = equalise_loads(group, assigned, np.random.default_rng(1), never)
    assert np.array_equal(assigned, given)
    assert is_valid(group, found)
    assert constraint.admits(found)
    assert spread_of(group, found) == (unit if int(lags.sum()) // unit % n_members else 0)
    again = equalise_loads(group, assigned, np.random.default_rng(1), never)
    assert np.array_equal(found, again)


def alike_sets(seed: int, n: int) -> Iterator[tuple[Group, CountConstraint, Index, Ints]]:
    for group, _, constraint, assigned in starts(seed, n):
        for members in constraint.alike_members():
            yield group, constraint, assigned, members


def test_never_worse_for_any_set_of_alike_members() -> None:
    better = sets = 0
    for group, constraint, assigned, members in alike_sets(seed=54, n=45):
        asked = count()
        found = equalise_loads(
            group, assigned, np.random.default_rng(1), lambda: next(asked) > 100, members  # noqa: B023
        )  # fmt: skip
        assert constraint.admits(found)
        others = ~np.isin(assigned, members)
        assert np.array_equal(found[others], assigned[others])
        loads, before = (member_loads(a, group.lag, group.n_members)[members]
                         for a in (found, assigned))  # fmt: skip
        assert np.ptp(loads) <= np.ptp(before)
        better += int(np.ptp(loads) < np.ptp(before))
        sets += 1
    assert sets > 25
    assert better > 2


def test_members_with_heavy_partitions_are_left_out() -> None:
    lags = np.append(np.random.default_rng(3).integers(1, 10_001, 118), [10**7, 10**6])
    group, constraint, assigned = prepared(lags, 12)
    rows = MemberRows(group, assigned)
    chosen = divisible(rows)
    assert len(chosen) == 10
    found = equalise_loads(group, assigned, np.random.default_rng(1), never)
    loads = np.sort(member_loads(found, group.lag, 12))
    assert constraint.admits(found)
    assert loads[9] - loads[0] <= 1
    assert loads[0] == int(rows.loads[chosen].sum()) // 10
    assert np.ptp(member_counts(found, 12)) == 0


def test_wide_lags_come_close() -> None:
    lags = np.random.default_rng(4).integers(1, 10**9, 80)
    group, constraint, assigned = prepared(lags, 20)
    asked = count()
    found = equalise_loads(
        group, assigned, np.random.default_rng(1), lambda: next(asked) > 1_000
    )  # fmt: skip
    assert constraint.admits(found)
    assert spread_of(group, found) < spread_of(group, assigned) // 3


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
        heaviest = crowd(counting, counting.active)
        window = window_of(group, constraint)
        found = level_loads(group, constraint, assigned, rng, never, window, heaviest)
        figures = loads_of(group, found)
        assert constraint.admits(found)
        assert figures.spread - bounds.spread <= 0.001 * figures.mean
