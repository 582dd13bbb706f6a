"""Pairwise swaps keep the constraint and never make a plan worse."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of, odd_cases
from support.local_search import (
    POLICIES,
    check_never_worse,
    check_odd_group,
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
    check_never_worse(swap_pairwise, n=9, rounds=40, keep_moves=keep_moves)


def test_it_stops_when_told_or_satisfied() -> None:
    check_stops(swap_pairwise)


@pytest.mark.parametrize(("name", "policy"), odd_cases(POLICIES))
def test_odd_groups(name: str, policy: Policy) -> None:
    check_odd_group(swap_pairwise, name, policy)


def test_swaps_even_out_a_plain_group() -> None:
    group = group_of([40], [[0]] * 4, lags=range(40))
    constraint, assigned = start(group, Policy(), keep=False)
    found = swap_pairwise(
        group, constraint, assigned, np.random.default_rng(1), never, ImprovementGoal()
    )
    assert spread_of(group, assigned) == 300
    assert spread_of(group, found) <= 4
