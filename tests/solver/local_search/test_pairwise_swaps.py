"""Pairwise swaps keep the constraint and never make a plan worse."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import ODD, group_of
from support.local_search import (
    POLICIES,
    check_never_worse,
    check_odd_group,
    check_repeatable,
    check_stops,
    never,
    spread_of,
    start,
)

from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.pairwise_swaps import swap_pairwise
from equilag.solver.local_search.load_targets import ImprovementGoal


@pytest.mark.parametrize("keep_moves", [False, True])
def test_no_plan_becomes_worse(keep_moves: bool) -> None:
    check_never_worse(swap_pairwise, n=15, rounds=40, keep_moves=keep_moves)


def test_it_stops_when_told_or_satisfied() -> None:
    check_stops(swap_pairwise)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.name}-{p.balance}")
@pytest.mark.parametrize("name", ODD)
def test_odd_groups(name: str, policy: Policy) -> None:
    check_odd_group(swap_pairwise, name, policy)


def test_same_seed_same_answer() -> None:
    check_repeatable(swap_pairwise)


def test_swaps_even_out_a_plain_group() -> None:
    group = group_of([40], [[0]] * 4, lags=range(40))
    constraint, assigned = start(group, Policy(), keep=False)
    found = swap_pairwise(
        group, constraint, assigned, np.random.default_rng(1), never, ImprovementGoal()
    )
    assert spread_of(group, assigned) == 300
    assert spread_of(group, found) <= 4
