"""The stage that proves bounds on the spread by counting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.budget import Budget
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import VALUE
from equilag.planner.solving.problem import Task
from equilag.planner.solving.stage import STEP, Draft
from equilag.planner.solving.state import Contribution, SolveState
from equilag.solver.lower_bounds.load_bounds import (
    NO_LAG,
    LoadBounds,
    difference,
    excess_bound,
    load_bounds,
)

BOUND_CELL: Final = 2e-7
"""Seconds per partition of one counting bound, measured at 10,000 partitions."""


NO_SPREAD: Final = (NO_LAG.highest, NO_LAG.lowest, difference(NO_LAG))
"""The claims on the loads of a group without lag."""


class CountingBounds:
    """What no plan can beat, by counting."""

    name: Final = "bounds"
    SHARE: Final = 0.25
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return bool(state.problem.group.lag.any())

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        price = STEP + BOUND_CELL * state.problem.group.n_partitions
        stop = budget.steps(price, upto=0.2, share=self.SHARE)
        found = load_bounds(state.problem.counting, stop, state.most_even.spread)
        if found is not None:
            yield from bound_claims(found)
            yield excess_bound(state.problem.counting, found)


def no_lag_claims(task: Task, draft: Draft) -> tuple[Claim, ...]:
    """What is proved of the spread, and of its cost, where there is no lag; else nothing."""
    group = task.group
    if group.lag.any() or not any(map(len, group.class_topics)):  # nobody takes part in a spread
        return ()
    if not task.objective.move_cost:
        return NO_SPREAD
    return (*NO_SPREAD, Claim(VALUE, task.objective.cost(draft.fewest_moves), "sum"))


def bound_claims(found: LoadBounds) -> Iterator[Claim]:
    """Both loads, and their difference."""
    yield from (found.highest, found.lowest, difference(found))
