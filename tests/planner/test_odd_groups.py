"""Groups of odd shapes: planned and verified by every policy, with and without time."""

from __future__ import annotations

import json
from operator import attrgetter

import numpy as np
import pytest
from support.groups import BIGGEST, ODD, group_of, odd_cases
from support.oracles import Assignments, Truth

import equilag
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES, POLICIES

LARGE = {"largest total"}
"""Too large to try everything, and not proved: these run into their time limit."""


@pytest.mark.parametrize(("name", "policy", "balance"), odd_cases(POLICIES, BALANCES, rounds=2))
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


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("no members", {
            "unassigned": {"t00": [0, 1, 2], "t01": [0, 1]}, "assignment": {}, "lag.total": 17,
            "lag.spread": 0, "lag.mean": 0.0,
        }),
        ("one member", {
            "assignment": {"m00": {"t00": [0, 1, 2], "t01": [0]}}, "lag.max": 22, "lag.min": 22,
        }),
        ("members that read nothing", {"counts.min": 1, "counts.by_member": {
            "m00": 2, "m01": 0, "m02": 1, "m03": 0,
        }}),
        ("topics nobody reads", {
            "unassigned": {"t01": [0, 1, 2, 3]}, "lag.total": 21, "lag.max": 6, "lag.min": 1,
        }),
        ("largest total", {"lag.total": 512 * BIGGEST, "lag.spread": BIGGEST}),
    ],
)  # fmt: skip
def test_what_a_plan_of_an_odd_group_says(name: str, figures: dict[str, object]) -> None:
    plan = equilag.solve(ODD[name](), time_limit=0.05 if name in LARGE else 5.0)
    assert {path: attrgetter(path)(plan) for path in figures} == figures


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
