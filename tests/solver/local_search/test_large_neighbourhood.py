"""Large neighbourhood search keeps the constraint and never makes a plan worse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.groups import group_of, odd_cases, small_groups
from support.local_search import (
    POLICIES,
    check_never_worse,
    check_odd_group,
    check_stops,
    never,
    spread_of,
    start,
)
from support.oracles import Assignments

from equilag.domain.budget import Budget, limit_steps
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.paired_exchange import exchange_in_pairs
from equilag.solver.local_search.large_neighbourhood import MAX_ROUNDS, search_neighbourhoods
from equilag.solver.local_search.load_targets import ImprovementGoal


def search(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    goal: ImprovementGoal,
    rounds: int = MAX_ROUNDS,
) -> Index:
    """The search with a budget that ends at once, or never."""
    budget = Budget(seconds=0.0) if stop() else Budget()
    return search_neighbourhoods(group, constraint, assigned, rng, budget, goal, rounds)


@pytest.mark.parametrize("keep_moves", [False, True])
def test_no_plan_becomes_worse(keep_moves: bool) -> None:
    # With a limit on moves a neighbourhood costs some 50 ms.
    check_never_worse(search, n=4, rounds=4, keep_moves=keep_moves)


def test_it_stops_when_told_or_satisfied() -> None:
    check_stops(search)


@pytest.mark.parametrize(("name", "policy"), odd_cases(POLICIES))
def test_odd_groups(name: str, policy: Policy) -> None:
    check_odd_group(search, name, policy)


def test_neighbourhoods_solve_what_fits_into_one() -> None:
    """Four members and few partitions are one neighbourhood, and its best split is the best."""
    for group in small_groups(seed=54, n=6, limit=1000, members=2, size=5, reads=1.0):
        policy = Policy()
        constraint, assigned = start(group, policy, keep=False)
        found = search(
            group, constraint, assigned, np.random.default_rng(1), never, ImprovementGoal()
        )
        truth = Assignments.all(group).balanced("total").spread.min()
        assert spread_of(group, found) == truth


def test_only_the_end_that_can_come_closer_is_worked_on() -> None:
    """Heavy partitions stay where they are; the others even out in few neighbourhoods."""
    lightest = [0, 0]
    for seed in range(4):
        light = np.random.default_rng(seed).integers(100, 1_000, 72)
        group = group_of([80], [[0]] * 20, lags=[*[10**6] * 8, *light.tolist()])
        constraint, assigned = start(group, Policy(), keep=False)
        rng = np.random.default_rng(0)
        assigned = exchange_in_pairs(group, assigned, rng, limit_steps(5, never))
        for number, goal in enumerate((ImprovementGoal(), ImprovementGoal(low=10**6, high=10**7))):
            rng = np.random.default_rng(1)
            found = search(group, constraint, assigned, rng, never, goal, rounds=12)
            assert spread_of(group, found) <= spread_of(group, assigned)
            lightest[number] += int(member_loads(found, group.lag, 20).min())
    assert lightest[1] > lightest[0]
