"""Bounds from disjoint pairs: never beyond the truth, and tight where counting is not."""

from __future__ import annotations

import numpy as np
import pytest
from builders import group_of, random_group
from oracles import Assignments

from benchmarks.assignors.inputs import named
from equilag.certificate.bounds import Counting
from equilag.certificate.pairs import all_beyond, pairs_needed
from equilag.certificate.verify import verify
from equilag.counts import constraint_of, unconstrained
from equilag.group import Group
from equilag.planner.solve import solve
from equilag.policy import Policy
from equilag.solver.balance import balanced_assignment


def counting_of(group: Group, policy: Policy | None = None) -> Counting:
    policy = policy or Policy.of()
    return Counting(group, constraint_of(group, policy, balanced_assignment(group, policy)))


@pytest.mark.parametrize("seed", range(6))
def test_never_beyond_the_truth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bounds = 0
    for _ in range(40):
        members = int(rng.integers(2, 5))
        group = random_group(rng, topics=4, members=members, size=3, reads=0.6)
        if group.n_partitions > 9:
            continue
        counting = counting_of(group)
        needed = pairs_needed(counting)
        truth = Assignments.all(group).balanced("total")
        held_two = (truth.held.sum(axis=1) == 2).sum(axis=1)
        if group.assignable.all():
            assert needed <= held_two.min()
        if needed < 1:
            continue
        lowest, highest = int(truth.lowest.max()), int(truth.highest.min())
        for value in range(lowest):  # a plan passes it, so its pairs do
            assert all_beyond(counting, value, "above", needed)
        for value in range(highest + 1, highest + 4):
            assert all_beyond(counting, value, "below", needed)
        bounds += not all_beyond(counting, lowest, "above", needed)
    assert bounds > 3  # it says something at all


def test_counts_of_one_two_and_three_are_told_apart() -> None:
    def needed(members: int, partitions: int) -> int:
        return pairs_needed(counting_of(group_of([partitions], [[0]] * members)))

    assert needed(3, 6) == 3
    assert needed(3, 5) == 2
    assert needed(3, 4) == 1
    assert needed(3, 8) == 1
    assert needed(3, 9) == 0
    assert needed(3, 3) == 0


def test_nothing_is_known_where_counts_are_free_or_partitions_pinned() -> None:
    group = group_of([6], [[0]] * 3)
    assert pairs_needed(Counting(group, unconstrained(group))) == 0
    assert pairs_needed(counting_of(group, Policy.of("kip-169"))) == 0
    owned = group_of([6], [[0]] * 3, owners=[0, 0, 1, -1, -1, -1])
    assert pairs_needed(counting_of(owned, Policy.of("sticky-yet-fair"))) == 0


def test_a_plan_rests_on_them_where_the_mean_says_too_little() -> None:
    group = named("lag-mixed/40x20/lognormal/2").group()
    counting = counting_of(group)
    rest = min(counting.rest(counting.active, k) or 0 for k in range(1, 13))
    assert not all_beyond(counting, rest - 50, "above", pairs_needed(counting))
    plan = solve(group, time_limit=20)
    (claim,) = (c for c in plan.claims if c.claim == "min_load_at_most")
    assert claim.kind == "pairs"
    assert claim.value < rest
    document = plan.to_dict()
    assert not verify(group, document)
    forged = next(c for c in document["certificate"]["claims"] if c["kind"] == "pairs")
    forged["value"] -= 1
    assert "disjoint pairs" in str(verify(group, document))
