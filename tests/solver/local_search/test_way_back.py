"""The way back to the owners: moves that are saved within a limit on unevenness."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.local_search import excess_of, never, spread_of, start, starts

from equilag.domain.plan.metrics import count_moves
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.pairwise_swaps import swap_pairwise
from equilag.solver.local_search.load_targets import ImprovementGoal
from equilag.solver.local_search.way_back import UnevennessLimit, return_to_owners


@pytest.mark.parametrize("slack", [0, 10, 10**6])
def test_returning_saves_moves_within_the_spread(slack: int) -> None:
    saved = 0
    for group, _, constraint, assigned in starts(seed=56, n=6):
        rng = np.random.default_rng(1)
        even = swap_pairwise(group, constraint, assigned, rng, never, ImprovementGoal(), rounds=40)
        limit = UnevennessLimit(spread_of(group, even) + slack, excess_of(group, even) + slack)
        home = return_to_owners(group, constraint, even, limit, never)
        assert constraint.admits(home)
        assert spread_of(group, home) <= limit.spread
        assert excess_of(group, home) <= limit.excess
        before, after = count_moves(group, even), count_moves(group, home)
        assert after <= before
        saved += before - after
    assert saved > 0


def test_returning_keeps_the_excess_where_one_member_hides_the_others() -> None:
    # The spread would allow m01 to take everything back; the excess does not.
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 1, 1], lags=[900, 0, 40, 40, 0, 0])
    constraint, _ = start(group, Policy(), keep=False)
    away = np.array([0, 0, 1, 2, 1, 2], np.int32)
    limit = UnevennessLimit(spread_of(group, away), excess_of(group, away))
    home = return_to_owners(group, constraint, away, limit, never)
    assert excess_of(group, home) <= limit.excess
    assert count_moves(group, home) <= 2


def test_returning_brings_everything_back_where_nothing_prevents_it() -> None:
    owners = [0, 1, 2] * 3
    group = group_of([9], [[0]] * 3, owners=owners, lags=[5] * 9)
    constraint, _ = start(group, Policy(), keep=True)
    away = np.array([1, 2, 0] * 3, np.int32)
    home = return_to_owners(group, constraint, away, UnevennessLimit(0, 0.0), never)
    assert home.tolist() == owners
    assert (
        return_to_owners(group, constraint, away, UnevennessLimit(0, 0.0), lambda: True).tolist()
        == away.tolist()
    )
