"""The improving stage for loads per unit of capacity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.budget import Budget
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.solver.local_search.capacity_levels import level_by_capacity
from equilag.solver.lower_bounds.load_bounds import crowds


class CapacityLevels:
    """The most even loads per unit of capacity, at any size, where moves do not count."""

    name: Final = "levels by capacity"
    SETTLE: Final = 6e-6
    """Seconds per partition before the first round, most of them to deal partitions one by one."""
    ROUND: Final = 5e-3
    """Seconds of one round, besides those that grow with the group."""
    PARTITION: Final = 6e-8
    """Seconds of a round per partition."""
    SHARE: Final = 0.75
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        if state.proved or problem.moves_matter or not problem.has_capacities:
            return False
        return budget.has_time(self.SETTLE * problem.group.n_partitions)

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        size = problem.group.n_partitions
        budget.pay(self.SETTLE * size)
        stop = budget.steps(self.ROUND + self.PARTITION * size, upto=0.6, share=self.SHARE)
        counting = problem.counting
        heaviest = crowds(counting, counting.active)[:1]
        found = level_by_capacity(
            problem.group, problem.constraint, state.most_even.assigned, state.rng, stop,
            sum(heaviest), state.proofs.spread,
        )  # fmt: skip
        yield Proposal(found, "levels-by-capacity")
