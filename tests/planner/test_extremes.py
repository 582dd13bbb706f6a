"""Groups of odd shapes, and settings at the far ends, planned and verified by every policy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.groups import BIGGEST, ODD, group_of, odd_cases
from support.oracles import Assignments, Truth
from support.paths import SAMPLES

import equilag
from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import SearchTarget, SmallProblem
from equilag.certificate.verify import verify
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.building.group_input import ClaimColumns
from equilag.domain.group.group import Group, Ints
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES, POLICIES
from equilag.planner.solve import solve
from equilag.planner.solving.stage import SINGLE

LARGE = {"largest total"}
"""Too large to try everything, and not proved: these run into their time limit."""


@pytest.mark.parametrize(("name", "policy", "balance"), odd_cases(POLICIES, BALANCES))
def test_planned_and_verified(name: str, policy: str, balance: str) -> None:
    group = ODD[name]()
    limit = 0.05 if name in LARGE else 30.0
    plan = equilag.solve(group, policy, balance=balance, time_limit=limit, tolerance=0)
    assert is_valid(group, plan.assigned)
    assert equilag.verify(group, json.loads(json.dumps(plan.to_dict()))) == []
    assert plan.notes == ()
    assert list(plan.assignment) == [member.id for member in group.members]
    if name in LARGE:
        return
    truth = Truth.of(group, Policy(policy, balance, tolerance=0.0))
    assert plan.status == "optimal"
    assert truth.is_optimal(plan.assigned)
    assert plan.lag.spread == truth.cost.min()


@pytest.mark.parametrize("name", ODD)
def test_settings_and_frontier(name: str) -> None:
    group = ODD[name]()
    limit = 0.05 if name in LARGE else 30.0
    for settings in ({"fresh": True}, {"move_cost": 2**53 - 1}, {"tolerance": 50.0}):
        plan = equilag.solve(group, time_limit=limit, **settings)
        assert equilag.verify(group, plan) == []
    points = equilag.frontier(group, time_limit=limit)
    assert points
    assert [p.moves for p in points] == sorted({p.moves for p in points})
    if name not in LARGE:
        front = Assignments.all(group).balanced("total").front()
        assert [(p.moves, p.spread) for p in points] == front


@pytest.mark.parametrize("members", [3, 5, 8])
def test_one_member_that_owns_nearly_all_there_can_be(members: int) -> None:
    rng = np.random.default_rng(111)
    held, free = 500, 6 if members == 3 else 4
    group = group_of(
        [held + free],
        [[0]] * members,
        owners=[0] * held + [-1] * free,
        lags=[BIGGEST] * held + rng.integers(1, 1000, free).tolist(),
    )
    plan = equilag.solve(group, "sticky-yet-fair", time_limit=30.0, tolerance=0)
    truth = Assignments.all(group, keep_owned=True).balanced("total")
    assert plan.status == "optimal"
    assert plan.lag.spread == truth.spread.min()
    assert equilag.verify(group, plan) == []


def test_a_huge_tolerance_on_huge_lags() -> None:
    lags = [2**53 - 1] * 4 + [1]
    group = group_of([5], [[0], [0]], owners=[0, 0, 0, 1, -1], lags=lags)
    plan = equilag.solve(group, tolerance=1e6, time_limit=5.0)
    assert not plan.notes
    assert equilag.verify(group, plan) == []


def test_a_limit_on_moves_beyond_64_bits() -> None:
    group = equilag.load_snapshot(SAMPLES / "stats.snapshot.json")
    plan = equilag.solve(group, balance="both", max_moves=2**70, effort=0.1, time_limit=60)
    assert not plan.notes
    assert equilag.verify(group, plan) == []


def test_many_topics_are_too_much_for_the_search_and_it_says_so_at_once() -> None:
    """Every topic doubles the keys of a half; comparing them all is charged before it is done."""
    n = 36  # already more than the budget for comparing, and quickly made
    one = np.ones((n, 2), dtype=np.int64)
    problem = SmallProblem(
        lag=np.arange(n, dtype=np.int64),
        allowed=np.ones((n, 2), dtype=np.bool_),
        base=np.zeros(2, dtype=np.int64),
        lo=np.zeros(2, dtype=np.int64),
        hi=np.full(2, n, dtype=np.int64),
        saved=0 * one,
        topic=np.arange(n, dtype=np.int64),
        topic_lo=0 * one,
        topic_hi=one,
    )
    with pytest.raises(OutOfBudget):
        Search(problem, Budget(10**9)).find(SearchTarget(spread=0))


def large_group() -> Group:
    """500 members, 105 topics of 200 partitions in two overlapping subscriptions."""
    rng = np.random.default_rng(6)
    names = [f"t{t:03}" for t in range(105)]
    reads = names[:70], names[35:]
    return Group.build(
        name="large",
        topics=dict.fromkeys(names, 200),
        members=[f"m{m:03}" for m in range(500)],
        subscriptions={f"m{m:03}": reads[m % 2] for m in range(500)},
        owned=ClaimColumns(_owners(rng), np.arange(21_000)),
        lags=rng.integers(1, 10_000, 21_000),
    )


def _owners(rng: np.random.Generator) -> Ints:
    topic = np.arange(21_000) // 200
    owner = rng.integers(0, 250, 21_000) * 2
    owner += np.where(topic < 35, 0, np.where(topic >= 70, 1, rng.integers(0, 2, 21_000)))
    return owner


@pytest.mark.parametrize(
    "balance",
    ["both", *(pytest.param(one, marks=pytest.mark.long) for one in ("total", "per-topic"))],
)
def test_loads_are_even_and_the_front_has_points_between(balance: str) -> None:
    group = large_group()
    assert group.n_partitions > SINGLE
    plan = solve(group, balance=balance, effort=1.6, time_limit=60, tolerance=0)
    assert plan.lag.spread <= 0.02 * plan.lag.mean
    assert verify(group, plan) == []
    assert len(plan.choices) == 3
