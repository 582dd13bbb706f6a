"""The stages that prove bounds on the spread: by counting, and by matchings of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from equilag.certificate.bounds.derived_bounds import Side, pairs_beyond, pairs_needed
from equilag.domain.budget import Budget
from equilag.domain.group.group import iter_names
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import member_loads
from equilag.domain.policy.objective import VALUE
from equilag.planner.solving.problem import Problem, Task
from equilag.planner.solving.stage import STEP, Draft
from equilag.planner.solving.state import Contribution, SolveState
from equilag.solver.lower_bounds.load_bounds import (
    NO_LAG,
    LoadBounds,
    difference,
    excess_bound,
    load_bounds,
)
from equilag.solver.lower_bounds.maximum_matching import disjoint_pairs

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


class MatchingBound:
    """Where most members hold two partitions: what no set of disjoint pairs can reach."""

    name: Final = "matching bound"
    PRICE: Final = 3e-7
    """Seconds of a matching per cube of the number of partitions, at most. It cannot be stopped."""
    SHARE: Final = 0.7
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if state.spread_proved:
            return False
        bounded = "min_load_at_most" in state.proofs and "max_load_at_least" in state.proofs
        return bounded and pairs_needed(state.problem.counting) > 0

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        lowest = state.proofs.strongest("min_load_at_most")
        highest = state.proofs.strongest("max_load_at_least")
        assert lowest is not None
        assert highest is not None
        group = problem.group
        loads = member_loads(state.most_even.assigned, group.lag, group.n_members)[~group.idle]
        price = self.PRICE * len(problem.counting.lag) ** 3
        steps = budget.steps(price, upto=0.8, share=self.SHARE)

        def stop() -> bool:
            return steps() or not budget.has_time(price)

        low = _tightest(problem, int(loads.min()), lowest, "above", stop)
        high = _tightest(problem, int(loads.max()), highest, "below", stop)
        yield from bound_claims(LoadBounds(high, low))


def no_lag_claims(task: Task, draft: Draft) -> tuple[Claim, ...]:
    """What is proved of the spread, and of its cost, where there is no lag; else nothing."""
    group = task.group
    if group.lag.any() or not any(map(len, group.class_topics)):  # nobody takes part in a spread
        return ()
    move_cost = task.objective.move_cost
    if not move_cost:
        return NO_SPREAD
    return (*NO_SPREAD, Claim(VALUE, move_cost * draft.fewest_moves, "sum"))


def bound_claims(found: LoadBounds) -> Iterator[Claim]:
    """Both loads, and their difference."""
    yield from (found.highest, found.lowest, difference(found))


def _tightest(
    problem: Problem, reached: int, known: Claim, side: Side, stop: Callable[[], bool]
) -> Claim:
    """The claim closest to the load reached that disjoint pairs prove: a bisection over the sums of
    pairs. Returns `known` where they prove no more."""
    if known.value == reached:
        return known
    counting = problem.counting
    needed, sums = pairs_needed(counting), np.unique(counting.lag[:, None] + counting.lag[None, :])
    if side == "above":
        values = [reached, *sums[(sums > reached) & (sums < known.value)].tolist()]
    else:
        values = [reached, *sums[(sums < reached) & (sums > known.value)][::-1].tolist()]
    best = known
    passed, out_of_reach = -1, len(values)
    while out_of_reach - passed > 1 and not stop():
        # The load reached comes first: if the pairs prove it, nothing else has to be asked.
        middle = (passed + out_of_reach) // 2 if passed >= 0 else 0
        found = disjoint_pairs(pairs_beyond(counting, values[middle], side))
        if found.number >= needed:
            passed = middle
            continue
        out_of_reach = middle
        names = iter_names(problem.group, counting.partition[found.apart])
        best = Claim(known.claim, values[middle], "pairs", {"apart": [list(n) for n in names]})
    return best
