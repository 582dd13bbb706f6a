"""Bounds by prices: never beyond the truth, and as strong as the linear program that found them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from support.constraints import counting_of
from support.groups import group_of, small_groups
from support.oracles import Assignments

from benchmarks.ablation.kinds import racks
from equilag.certificate.bounds.priced import LoadWindow, Prices, priced_room
from equilag.certificate.checks.claim_checks import check_lowest_by_prices
from equilag.certificate.ledger import Ledger, Refuted
from equilag.certificate.verify import verify
from equilag.domain.group.group import Group
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import loads_of
from equilag.domain.policy.policy import Policy
from equilag.planner.solve import solve
from equilag.solver.lower_bounds.load_bounds import overall_bounds
from equilag.solver.lower_bounds.price_program import Dealt, PriceProgram
from equilag.solver.lower_bounds.priced_bounds import KnownBounds, dealt_plan, priced_claims


def extremes(group: Group, balance: str) -> list[tuple[Load, Load]]:
    """The lightest and the heaviest load of every balanced plan."""
    found = []
    for assigned in Assignments.all(group).balanced(balance).rows:
        loads = loads_of(group, assigned)
        found.append((loads.min, loads.max))
    return found


GROUPS = partial(small_groups, seed=72, topics=4, members=4, size=2, kind="uneven")


@pytest.mark.parametrize("balance", ["total", "none"])
def test_no_prices_refute_what_there_is(balance: str) -> None:
    rng, refuted = np.random.default_rng(3), 0
    for group in GROUPS(n=25):
        counting = counting_of(group, Policy(balance=balance))
        there, busy = extremes(group, balance), counting.active
        total = int(group.lag.sum())
        for _ in range(30):
            above, below = sorted(rng.integers(0, total + 1, 2).tolist())
            prices = rng.integers(0, 4, (3, group.n_members)) * busy
            prices[2] *= rng.integers(-total, total + 1) // 4
            window = LoadWindow.of(counting, above, below)
            if priced_room(counting, window, Prices(*prices)) < 0:
                refuted += 1
                assert not any(above < low and high < below for low, high in there)
    assert refuted > 50


def test_claims_are_true_and_stronger_than_the_mean() -> None:
    stronger = dealt = 0
    for group in GROUPS(n=60):
        counting = counting_of(group, Policy())
        if not counting.active.any():
            continue
        there = extremes(group, "total")
        known = overall_bounds(counting)
        assert known is not None
        program = PriceProgram(counting)
        total = float(group.lag.sum())
        bounds = KnownBounds(known.highest.value, known.lowest.value, total)
        for found in priced_claims(program, bounds, lambda: False):
            if isinstance(found, Dealt):
                plan = dealt_plan(program, found)
                dealt += plan is not None and counting.constraint.admits(plan)
            elif found.claim == "min_load_at_most":
                stronger += 1
                assert max(low for low, _ in there) <= found.value < known.lowest.value
            elif found.claim == "max_load_at_least":
                stronger += 1
                assert min(high for _, high in there) >= found.value > known.highest.value
            else:
                stronger += 1
                assert min(high - low for low, high in there) >= found.value
    assert stronger > 5
    assert dealt > 30


def test_racks_are_bounded_and_planned_by_prices() -> None:
    group, settings = racks(30, 300, 1)
    plan = solve(group, effort=0.5, time_limit=100, seed=1, tolerance=0, **settings)
    priced = [claim for claim in plan.claims if claim.kind == "prices"]
    assert priced
    assert plan.extended is not None
    load = plan.extended.load
    assert load.spread - load.spread_lower_bound < 0.03 * load.mean  # 0.1 to 0.26 without
    assert verify(group, plan) == []
    for claim, other in ((one, other) for one in priced for other in forgeries(one)):
        claims = tuple(other if c is claim else c for c in plan.claims)
        assert verify(group, replace(plan, claims=claims)) != []


def forgeries(claim: Claim) -> list[Claim]:
    """The claim with a stronger value, and without the prices of the member that counts most."""
    prices = dict(claim.data["prices"])
    del prices[max(prices, key=lambda name: prices[name][0])]
    stronger = -1 if claim.claim == "min_load_at_most" else 1
    return [
        replace(claim, value=claim.value + stronger * Fraction(claim.value, 1000)),
        replace(claim, data={"prices": prices}),
    ]


@pytest.mark.parametrize(
    ("prices", "problem"),
    [
        (None, "data.prices is not an object"),
        ([], "data.prices is not an object"),
        ({"nobody": [1, 1, 1]}, "data.prices: 'nobody' is unknown"),
        ({"m00": [1, 1]}, "data.prices.m00 is not 3 whole numbers"),
        ({"m00": [-1, 1, 1]}, "data.prices has prices of loads below 0"),
        ({"m00": [1.0, 1, 1]}, "data.prices.m00 is not 3 whole numbers"),
        ({"m00": [1, True, 1]}, "data.prices.m00 is not 3 whole numbers"),
        ({"m00": [2**61, 1, 1]}, "data.prices.m00 is not 3 whole numbers"),
        ({"m00": "111"}, "data.prices.m00 is not 3 whole numbers"),
    ],
)
def test_unreadable_prices_refute(prices: Any, problem: str) -> None:
    (group,) = GROUPS(n=1)
    counting = counting_of(group, Policy())
    ledger = Ledger(group, group, Policy(), counting.constraint, True, None)
    with pytest.raises(Refuted, match=problem):
        check_lowest_by_prices(ledger, 0, {"prices": prices})


def test_prices_of_any_size_are_exact() -> None:
    """Products beyond 63 bits give what smaller units give."""
    for group in GROUPS(n=8):
        counting = counting_of(group, Policy())
        if not counting.active.any():
            continue
        ones = np.where(counting.active, 1, 0)
        for below in range(0, int(group.lag.sum()) + 2, 7):
            window = LoadWindow.of(counting, None, below)
            small = Prices(0 * ones, ones, 0 * ones)
            large = Prices(0 * ones, ones * 2**58, 0 * ones)
            rooms = [priced_room(counting, window, prices) < 0 for prices in (small, large)]
            assert rooms[0] == rooms[1]


def test_kinds_are_merged_where_a_topic_has_nothing_free() -> None:
    group = group_of([10, 10, 3], [[0, 1], [0]], lags=range(1, 24))  # nobody reads the last one
    program = PriceProgram(counting_of(group, Policy()), 12)
    assert len(program.size) < 20
    assert program.size.sum() == 20
    assert program.solve(210.0, 210.0) is not None
