"""Bounds by prices of loads and of partitions: never beyond the truth, as strong as they can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from support.constraints import counting_of
from support.groups import group_of, small_groups
from support.oracles import Assignments

from benchmarks.ablation.kinds import racks
from benchmarks.assignors.inputs import named
from equilag.certificate.bounds import member_patterns as bounds
from equilag.certificate.bounds.member_patterns import (
    HeldPatterns,
    all_sets,
    pattern_room,
    pattern_size,
    patterns_of,
)
from equilag.certificate.bounds.priced import LoadWindow, Prices, priced_room
from equilag.certificate.checks.claim_checks import CHECKS, check_spread_by_patterns
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.certificate.ledger import Ledger, Refuted
from equilag.certificate.verify import verify
from equilag.domain.group.group import Group
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import loads_of
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.solve import solve
from equilag.solver.lower_bounds.load_bounds import overall_bounds
from equilag.solver.lower_bounds.pattern_bound import pattern_claims
from equilag.solver.lower_bounds.price_program import Dealt, PriceProgram
from equilag.solver.lower_bounds.priced_bounds import KnownBounds, dealt_plan, priced_claims

SHAPE: dict[str, int] = {"topics": 4, "members": 4, "size": 2}
UNEVEN = partial(small_groups, seed=72, kind="uneven", **SHAPE)
PATTERNED = partial(small_groups, seed=41, **SHAPE)
Room = Callable[[int, int, np.random.Generator], int]
"""What some random prices leave for loads above one and below another."""


def busy(groups: Iterator[Group]) -> Iterator[Group]:
    return (group for group in groups if not group.idle.all())


def extremes(group: Group, policy: Policy) -> list[tuple[Load, Load]]:
    """The lightest and the heaviest load of every balanced plan."""
    plans = Assignments.all(group).balanced(policy.balance).rows
    return [((loads := loads_of(group, plan)).min, loads.max) for plan in plans]


def listed(group: Group, policy: Policy) -> tuple[list[HeldPatterns], int]:
    """The patterns of a group, and how many partitions are free."""
    whole = whole_problem(group, counting_of(group, policy).constraint)
    assert whole is not None
    found = patterns_of(whole.problem)
    assert found is not None
    sizes = [items.size for sort in found for items, _ in sort.sets]
    assert sum(sizes) == pattern_size(whole.problem)
    return found, len(whole.items)


def by_loads(group: Group, policy: Policy) -> Room:
    counting, total = counting_of(group, policy), int(group.lag.sum())

    def room(above: int, below: int, rng: np.random.Generator) -> int:
        prices = rng.integers(0, 4, (3, group.n_members)) * counting.active
        prices[2] *= rng.integers(-total, total + 1) // 4
        return priced_room(counting, LoadWindow.of(counting, above, below), Prices(*prices))

    return room


def by_partitions(group: Group, policy: Policy) -> Room:
    found, n = listed(group, policy)

    def room(above: int, below: int, rng: np.random.Generator) -> int:
        return pattern_room([one.within(above, below) for one in found], rng.integers(-3, 4, n))

    return room


@pytest.mark.parametrize(
    ("of", "groups", "balance"),
    [
        *((by_loads, UNEVEN, balance) for balance in ("total", "none")),
        *((by_partitions, PATTERNED, balance) for balance in ("total", "none", "both")),
    ],
)
def test_no_prices_refute_what_there_is(of: Any, groups: Any, balance: Any) -> None:
    rng, refuted, policy = np.random.default_rng(3), 0, Policy(balance=balance)
    for group in busy(groups(n=25)):
        room, there = of(group, policy), extremes(group, policy)
        for _ in range(30):
            above, below = sorted(rng.integers(-1, int(group.lag.sum()) + 2, 2).tolist())
            if room(above, below, rng) < 0:
                refuted += 1
                assert not any(above < low and high < below for low, high in there)
    assert refuted > 50


def test_claims_by_loads_are_true_and_stronger_than_the_mean() -> None:
    stronger = dealt = 0
    for group in busy(UNEVEN(n=60)):
        counting, there = counting_of(group, Policy()), extremes(group, Policy())
        known = overall_bounds(counting)
        assert known is not None
        program = PriceProgram(counting)
        ends = known.highest.value, known.lowest.value
        limits = KnownBounds(*ends, float(group.lag.sum()))
        for found in priced_claims(program, limits, lambda: False):
            if isinstance(found, Dealt):
                plan = dealt_plan(program, found)
                dealt += plan is not None and counting.constraint.admits(plan)
                continue
            stronger += 1
            if found.claim == "min_load_at_most":
                assert max(low for low, _ in there) <= found.value < known.lowest.value
            elif found.claim == "max_load_at_least":
                assert min(high for _, high in there) >= found.value > known.highest.value
            else:
                assert min(high - low for low, high in there) >= found.value
    assert stronger > 5
    assert dealt > 30


def test_claims_by_patterns_are_true() -> None:
    claims = 0
    for group in busy(PATTERNED(n=60)):
        found, n = listed(group, Policy())
        there = extremes(group, Policy())
        ends = min(high for _, high in there), max(low for low, _ in there)
        best = min(high - low for low, high in there)
        for claim in pattern_claims(found, n, ends, (0, best), lambda: False):
            claims += claim.value > 0
            assert claim.value <= best
    assert claims > 5


def refused(group: Group, plan: Plan, claim: Claim, *forged: Claim) -> None:
    """The plan holds, and with another claim in the place of one of its own it does not."""
    assert verify(group, plan) == []
    for other in forged:
        claims = tuple(other if one is claim else one for one in plan.claims)
        assert verify(group, replace(plan, claims=claims)) != []


def test_pairs_are_proved_optimal() -> None:
    """Counting, prices and CP-SAT leave 1.4 % of the mean load open."""
    group = named("lag-mixed/40x20/lognormal/2").group()
    plan = solve(group, effort=3.0, time_limit=200, seed=0, tolerance=0)
    (claim,) = (claim for claim in plan.claims if claim.kind == "patterns")
    assert plan.status == "optimal"
    prices = claim.data["prices"]
    others = [0] * len(prices), prices[1:]
    forged = (replace(claim, data={"prices": other}) for other in others)
    refused(group, plan, claim, replace(claim, value=claim.value + 10), *forged)


def test_racks_are_bounded_and_planned_by_prices() -> None:
    group, settings = racks(30, 300, 1)
    plan = solve(group, effort=0.5, time_limit=100, seed=1, tolerance=0, **settings)
    priced = [claim for claim in plan.claims if claim.kind == "prices"]
    assert priced
    assert plan.extended is not None
    load = plan.extended.load
    assert load.spread - load.spread_lower_bound < 0.03 * load.mean  # 0.1 to 0.26 without
    for claim in priced:
        prices = dict(claim.data["prices"])
        del prices[max(prices, key=lambda name: prices[name][0])]  # of whom counts most
        stronger = (-1 if claim.claim == "min_load_at_most" else 1) * Fraction(claim.value, 1000)
        forged = (
            replace(claim, value=claim.value + stronger),
            replace(claim, data={"prices": prices}),
        )
        refused(group, plan, claim, *forged)


def ledger() -> Ledger:
    (group,) = PATTERNED(n=1)
    return Ledger(group, group, Policy(), counting_of(group, Policy()).constraint, True, None)


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
def test_unreadable_prices_of_loads_refute(prices: Any, problem: str) -> None:
    with pytest.raises(Refuted, match=problem):
        CHECKS["min_load_at_most", "prices"](ledger(), 0, {"prices": prices})


def prices_of_partitions(price: Any) -> Any:
    """The same price of each free partition of that group."""
    return [price] * int(np.count_nonzero(ledger().constraint.free))


@pytest.mark.parametrize("price", [1.0, True, 2**41, "1"])
def test_unreadable_prices_of_partitions_refute(price: Any) -> None:
    for prices in (None, {}, [], prices_of_partitions(price)):
        with pytest.raises(Refuted, match=r"data\.prices has"):
            check_spread_by_patterns(ledger(), 1, {"prices": prices})


def test_too_many_patterns_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_PATTERNS", 0)
    with pytest.raises(Refuted, match="too many patterns"):
        check_spread_by_patterns(ledger(), 1, {"prices": prices_of_partitions(1)})


@pytest.mark.parametrize(("n", "k"), [(0, 0), (3, 0), (7, 1), (7, 3), (7, 4), (7, 7), (64, 63)])
def test_sets_below_any_number_come_first(n: int, k: int) -> None:
    found = all_sets(n, k).tolist()
    assert sorted(found) == [[*some] for some in combinations(range(n), k)]
    assert [*map(max, found)] == sorted(map(max, found)) if k else found == [[]]


def test_prices_of_any_size_are_exact() -> None:
    """Products beyond 63 bits give what smaller units give."""
    for group in busy(UNEVEN(n=8)):
        counting = counting_of(group, Policy())
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
