"""Equal loads: perfect where that is to be expected, close to the bound by capacity."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from support.constraints import balanced_assignment
from support.groups import group_of
from support.local_search import never, spread_of, window_of
from support.reduced_groups import with_capacities

from benchmarks.assignors.lags import lags
from equilag.certificate.bounds.counting import Counting
from equilag.domain.constraint import CountConstraint, constraint_of
from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.plan.metrics import is_valid, loads_of, member_counts, member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.paired_exchange import MemberRows, exchange_in_pairs
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
