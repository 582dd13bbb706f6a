"""Bounds by patterns: never beyond the truth, found where nothing else proves as much, checked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from support.constraints import counting_of
from support.groups import small_groups
from support.oracles import Assignments

from benchmarks.assignors.inputs import named
from equilag.certificate.bounds import member_patterns as bounds
from equilag.certificate.bounds.member_patterns import (
    HeldPatterns,
    all_sets,
    pattern_room,
    pattern_size,
    patterns_of,
)
from equilag.certificate.checks.claim_checks import check_spread_by_patterns
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.certificate.ledger import Ledger, Refuted
from equilag.certificate.verify import verify
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import loads_of
from equilag.domain.policy.policy import Policy
from equilag.planner.solve import solve
from equilag.solver.lower_bounds.pattern_bound import pattern_claims

GROUPS = partial(small_groups, seed=41, topics=4, members=4, size=2)


def listed(group: Group, policy: Policy) -> tuple[list[HeldPatterns], int]:
    """The patterns of a group, and how many partitions are free."""
    whole = whole_problem(group, counting_of(group, policy).constraint)
    assert whole is not None
    found = patterns_of(whole.problem)
    assert found is not None
    sizes = [items.size for sort in found for items, _ in sort.sets]
    assert sum(sizes) == pattern_size(whole.problem)
    return found, len(whole.items)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (3, 0), (7, 1), (7, 3), (7, 4), (7, 7), (64, 63)])
def test_sets_below_any_number_come_first(n: int, k: int) -> None:
    found = all_sets(n, k).tolist()
    assert sorted(found) == [[*some] for some in combinations(range(n), k)]
    assert [*map(max, found)] == sorted(map(max, found)) if k else found == [[]]


def extremes(group: Group, policy: Policy) -> list[tuple[Any, Any]]:
    """The lightest and the heaviest load of every balanced plan."""
    plans = Assignments.all(group).balanced(policy.balance).rows
    return [((loads := loads_of(group, plan)).min, loads.max) for plan in plans]


@pytest.mark.parametrize("balance", ["total", "none", "both"])
def test_no_prices_refute_what_there_is(balance: Any) -> None:
    rng, refuted, policy = np.random.default_rng(3), 0, Policy(balance=balance)
    for group in GROUPS(n=25):
        if group.idle.all():
            continue
        (found, n), there = listed(group, policy), extremes(group, policy)
        total = int(group.lag.sum())
        for _ in range(30):
            above, below = sorted(rng.integers(-1, total + 2, 2).tolist())
            inside = [sort.within(above, below) for sort in found]
            if pattern_room(inside, rng.integers(-3, 4, n)) < 0:
                refuted += 1
                assert not any(above < low and high < below for low, high in there)
    assert refuted > 50


def test_claims_are_true() -> None:
    claims = 0
    for group in GROUPS(n=60):
        if group.idle.all():
            continue
        found, n = listed(group, Policy())
        there = extremes(group, Policy())
        ends = min(high for _, high in there), max(low for low, _ in there)
        best = min(high - low for low, high in there)
        for claim in pattern_claims(found, n, ends, (0, best), lambda: False):
            claims += claim.value > 0
            assert claim.value <= best
    assert claims > 5


def test_pairs_are_proved_optimal() -> None:
    """Counting, prices and CP-SAT leave 1.4 % of the mean load open."""
    group = named("lag-mixed/40x20/lognormal/2").group()
    plan = solve(group, effort=3.0, time_limit=200, seed=0, tolerance=0)
    (claim,) = (claim for claim in plan.claims if claim.kind == "patterns")
    assert plan.status == "optimal"
    assert verify(group, plan) == []
    prices = claim.data["prices"]
    for forged in (
        replace(claim, value=claim.value + 10),
        replace(claim, data={"prices": [0] * len(prices)}),
        replace(claim, data={"prices": prices[1:]}),
    ):
        claims = tuple(forged if one is claim else one for one in plan.claims)
        assert verify(group, replace(plan, claims=claims)) != []


@pytest.mark.parametrize("prices", [None, {}, [], [1.0], [True], [2**41], ["1"]])
def test_unreadable_prices_refute(prices: Any) -> None:
    (group,) = GROUPS(n=1)
    constraint = counting_of(group, Policy()).constraint
    n = int(np.count_nonzero(constraint.free))
    ledger = Ledger(group, group, Policy(), constraint, True, None)
    with pytest.raises(Refuted, match=r"data\.prices has"):
        check_spread_by_patterns(ledger, 1, {"prices": prices * n if prices else prices})


def test_too_many_patterns_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (group,) = GROUPS(n=1)
    constraint = counting_of(group, Policy()).constraint
    n = int(np.count_nonzero(constraint.free))
    ledger = Ledger(group, group, Policy(), constraint, True, None)
    monkeypatch.setattr(bounds, "MAX_PATTERNS", 0)
    with pytest.raises(Refuted, match="too many patterns"):
        check_spread_by_patterns(ledger, 1, {"prices": [1] * n})
