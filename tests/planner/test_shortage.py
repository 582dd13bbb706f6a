"""Who falls behind comes first: plans against all assignments that the limits allow."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from support.groups import snapshot_of, with_members
from support.paths import SAMPLES
from support.planner_runs import begin, carry_out

import equilag
from equilag.certificate.bounds.shortage import ShortPrices, short_by_prices
from equilag.domain.group.group import Group, Ints
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.run_settings import task_of
from equilag.planner.solving.stage import Stage
from equilag.planner.stages.descent_stages import descent_keeping_up, greedy_descent
from equilag.solver.lower_bounds.short_flow import price_shortage

SLOW = str(SAMPLES / "slow-member.snapshot.json")
SIZE, MEMBERS = 7, 3


def drawn(rng: Random) -> dict[str, Any]:
    """A group of three members that read about as much as is produced."""
    rates = [rng.choice([1, 2, 3, 5, 8]) * rng.randint(1, 9) for _ in range(SIZE)]
    share = [rng.uniform(0.5, 1.5) for _ in range(MEMBERS)]
    load = rng.uniform(0.85, 1.1)
    capacity = [max(1, round(sum(rates) * s / sum(share) / load)) for s in share]
    owners = [rng.randrange(MEMBERS) for _ in range(SIZE)]
    lags = [rng.randint(0, 90) for _ in range(SIZE)]
    snapshot = snapshot_of([SIZE], [[0]] * MEMBERS, owners, lags)
    return {**with_members(snapshot, capacity=capacity), "rates": {"t00": rates}}


def every(snapshot: dict[str, Any], balance: str) -> tuple[Ints, Ints, Ints]:
    """[rows, SIZE] all assignments with the best counts, and the moves and the shortage of each."""
    rows = np.array(list(product(range(MEMBERS), repeat=SIZE)))
    capacity = np.array([member["capacity"] for member in snapshot["members"]])
    held = rows[:, :, None] == np.arange(MEMBERS)
    if balance == "total":
        uneven = (held.sum(axis=1) ** 2 / capacity).sum(axis=1)
        rows, held = (part[uneven <= uneven.min() * (1 + 1e-9)] for part in (rows, held))
    owned = [(p, m) for m, of in enumerate(snapshot["members"]) for p in of["owned"].get("t00", [])]
    owner = np.array([m for _, m in sorted(owned)])
    rate = np.einsum("rpm,p->rm", held, np.array(snapshot["rates"]["t00"]))
    return rows, (rows != owner).sum(axis=1), np.maximum(rate - capacity, 0).sum(axis=1)


@pytest.mark.parametrize("number", [4, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("balance", "policy"),
    [("none", "lag-aware"), ("total", "lag-aware"), ("none", "fair-yet-sticky")],
)
def test_no_plan_within_the_limits_falls_less_behind(
    balance: str, policy: str, number: int
) -> None:
    rng, behind, proved = Random(f"{balance} {policy}"), 0, 0
    for _ in range(number):
        snapshot = drawn(rng)
        _, moves, short = every(snapshot, balance)
        least = int(moves.min())
        limit = (
            None if policy == "fair-yet-sticky" else rng.choice([None, *range(least, least + 4)])
        )
        allowed = short[moves <= (SIZE if limit is None else limit)]
        group = equilag.load_snapshot(snapshot)
        plan = equilag.solve(
            group, policy, balance=balance, max_moves=limit, effort=1, time_limit=60
        )
        assert plan.throughput is not None
        assert plan.throughput.short == allowed.min()
        assert plan.throughput.short_lower_bound <= allowed.min()
        if policy == "fair-yet-sticky":
            assert len(plan.moves) == moves[short == allowed.min()].min()
        assert equilag.verify(group, json.loads(json.dumps(plan.to_dict()))) == []
        behind += short.min() < allowed.min() or allowed.min() > 0
        proved += plan.throughput.short_lower_bound == allowed.min()
    assert behind > number / 10
    assert proved > 0.7 * number


def test_three_moves_relieve_the_slow_member() -> None:
    group = equilag.load_snapshot(SLOW)
    plan = equilag.solve(group, balance="none", max_moves=3, effort=0.3, time_limit=60)
    assert plan.throughput is not None
    assert (plan.throughput.short, len(plan.moves)) == (0, 3)


def test_no_bound_is_above_what_it_bounds_where_rates_are_rounded() -> None:
    snapshot = snapshot_of([3], [[0]] * 2, [0, 1, 1], [5, 5, 5])
    snapshot = {**with_members(snapshot, capacity=[1, 1]), "rates": {"t00": [4e6, 3e6, 0.46]}}
    figures = equilag.solve(equilag.load_snapshot(snapshot), effort=0.1).throughput
    assert figures is not None
    assert 0 < figures.short_lower_bound <= figures.short


@pytest.mark.parametrize("number", [40, pytest.param(2_000, marks=pytest.mark.long)])
def test_no_prices_prove_more_than_is_true(number: int) -> None:
    rng, tight, behind = Random(5), 0, 0
    numbers = np.random.default_rng(5)
    for _ in range(number):
        snapshot, balance = drawn(rng), rng.choice(["none", "total"])
        rows, moves, short = every(snapshot, balance)
        limit = rng.choice([None, *range(int(moves.min()), SIZE)])
        allowed = short[moves <= (SIZE if limit is None else limit)]
        task = task_of(equilag.load_snapshot(snapshot), Policy(balance=balance), 0)
        state, _ = begin(task)
        problem, counted = state.problem, numbers.random(MEMBERS) < 0.6
        assert problem.shortage is not None
        scale, constraint = problem.shortage.scale, problem.constraint
        for size in (1, 30):
            place = numbers.integers(-size, size + 1, MEMBERS) * scale
            move = 0 if limit is None else int(numbers.integers(0, size)) * scale
            prices = ShortPrices(counted, place, move)
            found = short_by_prices(constraint, problem.shortage, prices, limit)
            assert found <= allowed.min() * scale
        best = rows[moves <= (SIZE if limit is None else limit)][allowed.argmin()]
        over = problem.shortage.over(best.astype(np.int32)) > 0
        behind += bool(over.any())
        priced = price_shortage(constraint, problem.shortage, over, limit, lambda: False)
        assert (priced is None) == (not over.any())
        if priced is not None:
            assert priced[0] <= allowed.min() * scale
            again = short_by_prices(constraint, problem.shortage, priced[1], limit)
            tight += again == priced[0] == allowed.min() * scale
    assert tight > behind / 10


def test_a_claim_by_prices_is_checked_again() -> None:
    group = equilag.load_snapshot(SLOW)
    document = equilag.solve(group, balance="none", max_moves=0, effort=0.3).to_dict()
    assert equilag.verify(group, document) == []
    (claim,) = (c for c in document["certificate"]["claims"] if c["kind"] == "prices")
    assert (claim["evidence"], float(Fraction(claim["value"]))) == (
        "checked", pytest.approx(document["throughput"]["short_lower_bound"])
    )  # fmt: skip
    forged: list[dict[str, Any]] = [
        {"places": {"nobody": 1}}, {"places": [1]}, {"places": {name(group): True}},
        {"move": 2**60}, {"move": -1}, {"move": 1}, {"max_moves": None},
        {"members": []}, {"members": ["nobody"]}, {"places": {name(group): 2**50}},
    ]  # fmt: skip
    for change in forged:
        altered = json.loads(json.dumps(document))
        (other,) = (c for c in altered["certificate"]["claims"] if c["kind"] == "prices")
        other["data"] |= change
        assert equilag.verify(group, altered), change


def name(group: Group) -> str:
    return group.members[0].id


def test_a_claim_beyond_the_plan_is_found_out() -> None:
    group = equilag.load_snapshot(SLOW)
    document = equilag.solve(group, balance="none", max_moves=1, effort=0.3).to_dict()
    claims = document["certificate"]["claims"]
    (claim,) = (one for one in claims if (one["claim"], one["kind"]) == ("short_at_least", "rates"))
    claim["value"] = 1
    assert any("prove no more than" in line for line in equilag.verify(group, document))
    claim["value"] = 10**6
    assert any("contradicts" in line for line in equilag.verify(group, document))


def test_the_plan_that_falls_behind_least_is_evened_out_and_falls_behind_no_further() -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        lags, rates = (rng.lognormal(mean, 1.5, 60).astype(int).tolist() for mean in (11, 4))
        capacity = [sum(rates) * share / 7.2 for share in (0.6, 0.8, 1, 1, 1.1, 1.2, 2)]
        snapshot = snapshot_of([60], [[0]] * 7, [p % 7 for p in range(60)], lags)
        snapshot = {**with_members(snapshot, capacity=capacity), "rates": {"t00": rates}}
        state, budget = begin(task_of(equilag.load_snapshot(snapshot), Policy(weight="work"), 0))
        carry_out(state, budget, Stage("down", greedy_descent))
        before = state.incumbent.figures
        carry_out(state, budget, Stage("keeping up", descent_keeping_up))
        after = state.incumbent.figures
        assert after.short <= before.short
        assert after.spread < before.spread


def test_points_and_choices_say_how_far_they_fall_behind() -> None:
    group = equilag.load_snapshot(SLOW)
    points = equilag.frontier(group, effort=0.1)
    assert points[0].short
    assert points[-1].short == 0
    for point in points[:3]:
        plan = equilag.solve(group, max_moves=point.moves, tolerance=0, effort=0.1)
        assert plan.throughput is not None
        assert plan.throughput.short <= point.short
        assert point.to_dict()["short"] == point.short
    assert [choice.short for choice in equilag.solve(group, effort=0.1).choices][-1] == 0
    assert equilag.frontier(group, weight="lag", effort=0.1)[0].short is None
