"""Every policy and setting on small groups, against the best of all assignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import group_of, groups, small_groups
from support.local_search import excess_of
from support.oracles import Assignments, Truth

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import count_moves, is_valid
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES, POLICIES

LIMIT: Final = 30.0
"""Seconds; small groups end by themselves long before."""


def is_the_best(group: Group, **wanted: Any) -> Plan:
    """Plans, verifies, and compares every figure of the goals with brute force."""
    wanted.setdefault("tolerance", 0.0)
    plan = equilag.solve(group, time_limit=LIMIT, **wanted)
    wanted = {"name": wanted.pop("policy", "lag-aware"), **wanted}
    policy = Policy(**wanted)
    truth = Truth.of(group.without_owners() if policy.fresh else group, policy)
    assert plan.status == "optimal"
    assert plan.notes == ()
    assert equilag.verify(group, plan) == []
    assert truth.is_optimal(plan.assigned)
    pinned = policy.name == "sticky-yet-fair" and not policy.fresh
    balanced = Assignments.all(group, pinned).balanced(policy.balance)
    if not policy.fresh:
        assert plan.moves_lower_bound == balanced.moves.min()
    assert len(plan.moves) == count_moves(group, plan.assigned)
    cheapest = int(truth.cost.min())
    assert plan.lag.spread_lower_bound <= truth.eligible.spread.min()
    bounds = {claim.claim: claim.value for claim in plan.claims}
    lower = bounds.get("cost_at_least", plan.lag.spread_lower_bound)
    assert lower <= cheapest
    if not truth.allowance:
        assert lower == cheapest
    return plan


@given(
    groups(limit=120),
    st.sampled_from(POLICIES),
    st.sampled_from(BALANCES),
    st.sampled_from([0, 3, 10**6]),
    st.booleans(),
)
def test_odd_shapes(group: Group, policy: str, balance: str, move_cost: int, fresh: bool) -> None:
    is_the_best(group, policy=policy, balance=balance, move_cost=move_cost, fresh=fresh)


# A limit on moves.


@pytest.mark.parametrize(("policy", "move_cost"), [("lag-aware", 0), ("kip-169", 15)])
def test_max_moves_is_kept_to_and_used(policy: str, move_cost: int) -> None:
    tight = 0
    for group in small_groups(seed=103, n=3, owned=0.9, limit=500):
        truth = Truth.of(group, Policy(policy))
        free = is_the_best(group, policy=policy, move_cost=move_cost)
        for limit in range(truth.fewest_moves, len(free.moves) + 1):
            plan = is_the_best(group, policy=policy, move_cost=move_cost, max_moves=limit)
            assert len(plan.moves) <= limit
            tight += plan.lag.spread > free.lag.spread
    assert tight > 0 or move_cost


@pytest.mark.parametrize("time_limit", [0, LIMIT])
@pytest.mark.parametrize("policy", POLICIES)
def test_fewer_moves_than_the_counts_force_are_refused(policy: str, time_limit: float) -> None:
    # Six of seven are m00's; two each or three are possible.
    group = group_of([7], [[0]] * 3, owners=[0, 0, 0, 0, 0, 0, 1], lags=range(7))
    for limit in (0, 2):
        if policy == "sticky-yet-fair":
            plan = equilag.solve(group, policy, max_moves=limit, time_limit=time_limit)
            assert len(plan.moves) == 0
            continue
        with pytest.raises(InputError, match=f"{limit} is fewer than the 3 moves") as caught:
            equilag.solve(group, policy, max_moves=limit, time_limit=time_limit)
        assert caught.value.place == "max_moves"
    plan = equilag.solve(group, policy, max_moves=3, time_limit=time_limit)
    assert len(plan.moves) <= 3
    assert equilag.verify(group, plan) == []


# A tolerance: fewer moves for a little more spread.


@pytest.mark.parametrize("tolerance", [0.0, 25.0])
def test_tolerance_buys_the_fewest_moves(tolerance: float) -> None:
    saved = 0
    for group in small_groups(seed=104, n=25 if tolerance else 12, owned=1.0, limit=500, reads=0.8):
        plan = is_the_best(group, tolerance=tolerance)
        balanced = Assignments.all(group).balanced("total")
        best = int(balanced.spread.min())
        mean = plan.lag.mean
        near = balanced.where(balanced.spread <= best + int(mean * tolerance / 100))
        assert plan.lag.spread <= best + mean * tolerance / 100
        assert len(plan.moves) == near.moves.min()
        saved += plan.lag.spread > best
    assert (saved > 0) == (tolerance > 0)


def test_fewest_moves_where_single_exchanges_do_not_get_there() -> None:
    group = group_of(
        [4, 3, 1], [[1], [0, 1, 2], [0, 1, 2]], [2, 1, 1, 1, 2, 0, 0, 1], [10, 20, *[10] * 6]
    )
    balanced = Assignments.all(group).balanced("total")
    for tolerance, moves in ((10.0, 2), (30.0, 2)):
        plan = is_the_best(group, tolerance=tolerance)
        near = balanced.spread <= balanced.spread.min() + int(plan.lag.mean * tolerance / 100)
        assert len(plan.moves) == moves == balanced.where(near).moves.min()
    group = group_of([8], [[0], [0]], [0, 0, 0, 1, 0, 0, 0, 0], [27, 6, 741, 9, 779, 87, 205, 492])
    assert len(is_the_best(group).moves) == 3


def test_without_a_tolerance_ties_go_to_the_least_excess_and_then_to_fewer_moves() -> None:
    for group in small_groups(seed=107, n=10, owned=1.0, limit=500):
        plan = equilag.solve(group, time_limit=LIMIT, tolerance=0)
        balanced = Assignments.all(group).balanced("total")
        ties = balanced.where(balanced.spread == balanced.spread.min())
        assert int(plan.lag.excess) == ties.least_excess
        as_even = [excess_of(group, row) <= plan.lag.excess for row in ties.rows]
        assert len(plan.moves) == ties.where(np.array(as_even)).moves.min()


def test_what_lies_between_the_extremes_counts() -> None:
    """One partition that nobody can help does not leave four heavy ones on one member."""
    lags = [100_000, 0, 0, 0, *[20_000] * 4, *[0] * 16]
    group = group_of([24], [[0]] * 6, owners=np.repeat(range(6), 4), lags=lags)
    for tolerance in (0.0, 1.0):
        plan = equilag.solve(group, tolerance=tolerance, effort=0.1)
        loads = sorted(plan.lag.by_member.values())
        assert loads == [0, 20_000, 20_000, 20_000, 20_000, 100_000]
        assert len(plan.moves) == 6  # three partitions away, three empty ones in return
        assert plan.lag.excess == plan.lag.excess_lower_bound == 70_000


# No time at all.


@given(groups(), st.sampled_from(POLICIES), st.sampled_from(BALANCES), st.booleans())
def test_without_time_there_is_a_valid_plan(
    group: Group, policy: str, balance: str, fresh: bool
) -> None:
    plan = equilag.solve(group, policy, balance=balance, time_limit=0, fresh=fresh)
    assert plan.status == "fallback"
    assert is_valid(group, plan.assigned)
    assert equilag.verify(group, plan) == []
    assert not plan.moves or fresh or policy != "sticky-yet-fair"


# Settings that make no sense.


WRONG: Final[dict[str, list[Any]]] = {
    "policy": ["fairest"],
    "balance": ["even"],
    "move_cost": [-1, 1.0, True, 2**53],
    "tolerance": [-0.1, float("nan"), "5", True],
    "max_moves": [-1, 1.5, False],
    "fresh": [1],
    "stop": [5],
    "progress": [5],
    "deterministic": ["x"],
    "time_limit": [-1, float("inf"), float("nan"), "2", True],
    "seed": [-1, 1.0, True],
}


@pytest.mark.parametrize("make", [equilag.solve, equilag.frontier])
@pytest.mark.parametrize("place", WRONG)
def test_settings_that_make_no_sense(place: str, make: Callable[..., object]) -> None:
    for value in WRONG[place]:
        with pytest.raises(InputError) as caught:
            make(group_of([2], [[0]]), **{place: value})
        assert caught.value.place == place


def test_a_limit_on_moves_does_not_go_with_a_fresh_plan() -> None:
    with pytest.raises(InputError, match=r"^max_moves"):
        equilag.solve(group_of([2], [[0]]), fresh=True, max_moves=5)
