"""Large neighbourhood search reaches the best split, and works on the end that can improve."""

from __future__ import annotations

import numpy as np
from support.groups import group_of, small_groups
from support.local_search import never, spread_of, start
from support.oracles import Assignments

from equilag.domain.budget import Budget, limit_steps
from equilag.domain.plan.metrics import member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.paired_exchange import exchange_in_pairs
from equilag.solver.local_search.large_neighbourhood import search_neighbourhoods
from equilag.solver.local_search.load_targets import ImprovementGoal


def test_neighbourhoods_solve_what_fits_into_one() -> None:
    """Four members and few partitions are one neighbourhood, and its best split is the best."""
    for group in small_groups(seed=54, n=6, limit=1000, members=2, size=5, reads=1.0):
        policy = Policy()
        constraint, assigned = start(group, policy, keep=False)
        rng, goal = np.random.default_rng(1), ImprovementGoal()
        found = search_neighbourhoods(group, constraint, assigned, rng, Budget(), goal)
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
            found = search_neighbourhoods(group, constraint, assigned, rng, Budget(), goal, 12)
            assert spread_of(group, found) <= spread_of(group, assigned)
            lightest[number] += int(member_loads(found, group.lag, 20).min())
    assert lightest[1] > lightest[0]
