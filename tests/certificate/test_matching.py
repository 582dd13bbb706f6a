"""Bounds from disjoint pairs: never beyond the truth, and tight where counting is not."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.constraints import constraint_for, counting_of
from support.groups import group_of, random_group
from support.oracles import Assignments

from benchmarks.assignors.inputs import named
from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.derived_bounds import (
    Side,
    most_disjoint,
    pairs_beyond,
    pairs_needed,
)
from equilag.certificate.checks.claim_checks import CHECKS
from equilag.certificate.ledger import Ledger, Refuted
from equilag.certificate.verify import verify
from equilag.domain.constraint import unconstrained
from equilag.domain.policy.policy import Policy
from equilag.planner.solve import solve
from equilag.solver.lower_bounds.maximum_matching import disjoint_pairs


def most(counting: Counting, value: int, side: Side) -> int:
    """The most disjoint pairs beyond the value, as the set that proves it tells."""
    pairs = pairs_beyond(counting, value, side)
    found = disjoint_pairs(pairs)
    assert most_disjoint(pairs, found.apart) == found.number
    return found.number


@pytest.mark.parametrize("seed", range(2))
def test_never_beyond_the_truth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bounds = 0
    for _ in range(40):
        members = int(rng.integers(2, 5))
        group = random_group(rng, topics=4, members=members, size=3, reads=0.6)
        if group.n_partitions > 9:
            continue
        counting = counting_of(group, Policy())
        needed = pairs_needed(counting)
        truth = Assignments.all(group).balanced("total")
        held_two = (truth.held.sum(axis=1) == 2).sum(axis=1)
        if group.assignable.all():
            assert needed <= held_two.min()
        if needed < 1:
            continue
        lowest, highest = int(truth.lowest.max()), int(truth.highest.min())
        for value in range(lowest):  # a plan passes it, so its pairs do
            assert most(counting, value, "above") >= needed
        for value in range(highest + 1, highest + 4):
            assert most(counting, value, "below") >= needed
        bounds += most(counting, lowest, "above") < needed
    assert bounds > 3  # it says something at all


def test_counts_of_one_two_and_three_are_told_apart() -> None:
    def needed(members: int, partitions: int) -> int:
        return pairs_needed(counting_of(group_of([partitions], [[0]] * members), Policy()))

    assert needed(3, 6) == 3
    assert needed(3, 5) == 2
    assert needed(3, 4) == 1
    assert needed(3, 8) == 1
    assert needed(3, 9) == 0
    assert needed(3, 3) == 0


def test_nothing_is_known_where_counts_are_free_or_partitions_pinned() -> None:
    group = group_of([6], [[0]] * 3)
    assert pairs_needed(Counting(group, unconstrained(group))) == 0
    assert pairs_needed(counting_of(group, Policy("kip-169"))) == 0
    owned = group_of([6], [[0]] * 3, owners=[0, 0, 1, -1, -1, -1])
    assert pairs_needed(counting_of(owned, Policy("sticky-yet-fair"))) == 0


def test_a_plan_rests_on_them_where_the_mean_says_too_little() -> None:
    group = named("lag-mixed/40x20/lognormal/2").group()
    counting = counting_of(group, Policy())
    rest = min(counting.rest(counting.active, k) or 0 for k in range(1, 13))
    assert most(counting, rest - 50, "above") < pairs_needed(counting)
    plan = solve(group, time_limit=60, effort=1.6)
    (claim,) = (c for c in plan.claims if c.claim == "min_load_at_most")
    assert claim.kind == "pairs"
    assert claim.value < rest
    assert not verify(group, plan)


@pytest.mark.parametrize("name", ["min_load_at_most", "max_load_at_least"])
def test_more_than_they_prove_is_refuted(name: str) -> None:
    group = group_of([6], [[0]] * 3, lags=[1, 2, 3, 4, 5, 6])
    constraint = constraint_for(group, Policy())
    ledger = Ledger(group, group, Policy(), constraint, True, None)
    check = CHECKS[name, "pairs"]
    check(ledger, 7, {"apart": []})  # 1 + 6, 2 + 5 and 3 + 4: no other three
    value = 6 if name == "min_load_at_most" else 8
    with pytest.raises(Refuted, match="3 disjoint pairs"):
        check(ledger, value, {"apart": []})
    for apart in (None, [0], [["t", 0]], [["topic-0", 9]], [["topic-0", [1]]]):
        with pytest.raises(Refuted, match="apart"):
            check(ledger, 7, {"apart": apart})
    ledger = Ledger(group, group, Policy(), unconstrained(group), True, None)
    with pytest.raises(Refuted, match="how many"):
        check(ledger, 7, {"apart": []})


@pytest.mark.parametrize("n", [2, 7, 12, 25])
def test_a_set_to_be_kept_apart_proves_every_maximum_matching(n: int) -> None:
    rng = np.random.default_rng(n)
    for share in (0.05, 0.1, 0.2, 0.5, 1.0):
        for _ in range(16):
            pairs = np.triu(rng.random((n, n)) < share, 1)
            pairs |= pairs.T
            graph = nx.from_numpy_array(pairs)
            found = disjoint_pairs(pairs)
            assert found.number == len(nx.max_weight_matching(graph, maxcardinality=True))
            assert most_disjoint(pairs, found.apart) == found.number
            assert most_disjoint(pairs, rng.random(n) < 0.3) >= found.number
