"""Bounds by counting: never beyond the truth, for any set of members; exact where it is plain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.constraints import counting_of, never_too_much
from support.groups import group_of, groups, restricted, small_groups
from support.oracles import Assignments
from support.reduced_groups import exact_loads, random_capacities, random_counts

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.heaviest import (
    excess_by_average,
    excess_by_heavy,
    folded,
    heavy,
    rest,
)
from equilag.certificate.verify import verify
from equilag.domain.group.group import Flags, Group
from equilag.domain.plan.metrics import fair_load
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.planner.solve import solve
from equilag.solver.lower_bounds.load_bounds import load_bounds


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
def test_never_beyond_the_truth(name: str, balance: str) -> None:
    rng = np.random.default_rng(31)
    for number, plain in enumerate(small_groups(seed=31, n=24)):
        differ = number % 3 == 0 and balance in ("total", "none")  # partitions of one topic
        group = restricted(plain, rng) if differ else plain
        counting = counting_of(group, Policy(name, balance))
        truth = Assignments.all(group, name == "sticky-yet-fair").balanced(balance)
        for _ in range(6):
            never_too_much(counting, truth, rng.random(group.n_members) < 0.5)
        never_too_much(counting, truth, counting.active)


@given(groups(limit=200), st.sampled_from(BALANCES), st.data())
def test_never_beyond_the_truth_on_odd_shapes(
    group: Group, balance: str, data: st.DataObject
) -> None:
    counting = counting_of(group, Policy(balance=balance))
    n = group.n_members
    members = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=np.bool_)
    never_too_much(counting, Assignments.all(group).balanced(balance), members)


def members(*chosen: int, of: int) -> Flags:
    return np.isin(np.arange(of), chosen)


def test_too_many_heaviest_say_nothing() -> None:
    counting = counting_of(group_of([2], [[0]] * 2, lags=[3, 4]), Policy())
    assert heavy(counting, counting.active, 3) == 0
    assert rest(counting, counting.active, 3) is None
    assert rest(counting, members(0, of=2), 1) is None
    assert heavy(counting, members(of=2), 1) == 0


def test_never_beyond_the_truth_by_capacity() -> None:
    rng = np.random.default_rng(5)
    for plain in small_groups(seed=5, n=50):
        group = random_capacities(rng, plain)
        if group.idle.all():
            continue
        constraint, every = random_counts(rng, group)
        counting = Counting(group, constraint)
        loads = exact_loads(group, every)
        highest, lowest = loads.max(axis=1).min(), loads.min(axis=1).max()
        fair = fair_load(group)
        least_excess = np.maximum(loads - fair, 0).sum(axis=1).min()
        for number in range(4):
            members = rng.random(group.n_members) < 0.6 if number else counting.active
            high, low = counting.average(members)
            assert high <= highest
            assert lowest <= low
            assert excess_by_average(counting, members) <= least_excess
            for heaviest in range(5):
                assert heavy(counting, members, heaviest) <= highest
                left = rest(counting, members, heaviest)
                assert left is None or lowest <= left
                above = excess_by_heavy(counting, members, heaviest)
                assert above <= least_excess


def test_a_folded_list_is_exact_where_all_may_take_everything() -> None:
    rng = np.random.default_rng(6)
    for _ in range(16):
        members = int(rng.integers(2, 5))
        lags = rng.integers(0, 100, int(rng.integers(members, 2 * members + 1)))
        group = group_of([len(lags)], [[0]] * members, lags=lags)
        truth = Assignments.all(group).balanced("total")
        found = folded(counting_of(group, Policy()), ~group.idle)
        assert found == (truth.highest.min(), truth.lowest.max())


def test_plans_rest_on_folded_lists() -> None:
    rng = np.random.default_rng(7)
    lags = np.sort(rng.lognormal(6, 2, 240).astype(np.int64))
    group = group_of([240], [[0]] * 125, lags=lags)
    places = np.concatenate((lags[::-1], np.zeros(10, np.int64)))
    found = load_bounds(counting_of(group, Policy()), lambda: False)
    assert found.lowest.kind == "folding"
    assert found.lowest.value == int((places[:125] + places[:124:-1]).min())
    plan = solve(group, effort=0.5)
    assert {"folding"} <= {claim.kind for claim in plan.claims}
    assert not verify(group, plan)
