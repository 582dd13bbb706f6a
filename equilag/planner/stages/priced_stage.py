"""The stage of prices: bounds by a linear program over sorts of members, and the plan near it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.domain.budget import Budget
from equilag.domain.group.loads import roughly
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import loads_of
from equilag.planner.solving.problem import NEGLIGIBLE
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.planner.stages.exchange_stages import round_of_levels
from equilag.planner.stages.improving_stages import goal_of
from equilag.solver.local_search.levelling import level_loads


class PricedLoads:
    """Where subscriptions, racks or capacities differ: what prices prove of the loads, and levels
    from the plan that the program deals."""

    name: Final = "prices"
    ARC: Final = 1.5e-5
    """Seconds of a program per arc."""
    SORT: Final = 1e-7
    """The same per arc and sort of members."""
    SHARE: Final = 0.5
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem, constraint = state.problem, state.problem.constraint
        if state.gap <= NEGLIGIBLE * problem.mean or constraint.per_topic:
            return False
        return problem.has_capacities or not constraint.all_alike

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        from equilag.solver.lower_bounds.price_program import MAX_ARCS, PriceProgram
        from equilag.solver.lower_bounds.priced_bounds import KnownBounds, dealt_plan, priced_claims

        problem = state.problem
        program = PriceProgram(problem.counting)
        if program.arcs > MAX_ARCS:
            return
        known = KnownBounds(state.proofs.highest, state.proofs.lowest, _heaviest(state))
        price = program.arcs * (self.ARC + self.SORT * len(program.number))
        stop = budget.steps(price, upto=0.55, share=self.SHARE)
        for found in priced_claims(program, known, stop):
            if isinstance(found, Claim):
                yield found
            elif not problem.moves_matter:
                start = dealt_plan(program, found)
                if start is None or not problem.constraint.admits(start):
                    continue
                stop = budget.steps(round_of_levels(problem), upto=0.6, share=self.SHARE)
                levelled = level_loads(
                    problem.group, problem.constraint, start, state.rng, stop, goal_of(state)
                )
                yield Proposal(levelled, "prices")


def _heaviest(state: SolveState) -> float:
    """The heaviest load of the most even plan."""
    return float(roughly(loads_of(state.problem.group, state.most_even.assigned).max))
