"""The stage that looks for plans under which members fall behind less."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from equilag.certificate.bounds.shortage import ShortPrices
from equilag.domain.budget import Budget
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import SHORT
from equilag.planner.solving.stage import STEP, failure
from equilag.planner.solving.state import Contribution, Note, Proposal, SolveState
from equilag.planner.stages.cpsat_stage import (
    ALGORITHM,
    DETERMINISTIC,
    FIRST_CALL,
    MODEL_SIZE,
)
from equilag.planner.stages.exhaustive_stage import whole
from equilag.solver.lower_bounds.short_flow import price_shortage


class LeastShortage:
    """A model of small groups; in larger ones the searches for evenness leave nothing to gain."""

    name: Final = "least shortage"
    SHARE: Final = 0.3
    """Of the time left, for each goal of the model."""
    UPTO: Final = 0.3
    """Part of the work that may be spent when it ends."""
    PROVED_UPTO: Final = 0.4
    """The same for what flows prove of what the model finds."""
    NODE: Final = 5e-6
    """Seconds of a flow per partition and member class."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem, best = state.problem, state.incumbent
        if problem.shortage is None:
            return False
        moves_more = problem.moves_matter and best.moves > problem.fewest_moves
        return moves_more or best.figures.short > state.bounds.short

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        yield from self._proof(state, budget)
        if not self.applies(state, budget):
            return
        yield from self._model(state, budget)
        yield from self._proof(state, budget)

    def _proof(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        """What flows prove of the members that the best plan so far leaves behind."""
        problem, limit = state.problem, state.problem.objective.asked_limit
        shortage, best = problem.shortage, state.incumbent
        assert shortage is not None
        counted = shortage.over(best.assigned) > 0
        price = STEP + self.NODE * problem.group.n_partitions * len(problem.group.class_topics)
        stop = budget.steps(price, self.PROVED_UPTO, self.SHARE)
        found = price_shortage(problem.constraint, shortage, counted, limit, stop)
        if found is None:
            return
        bound, prices = shortage.records(found[0]), found[1]
        if bound >= state.bounds.short and bound > 0:
            yield Claim(SHORT, bound, "prices", _named(state, prices, limit))

    def _model(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem, limit = state.problem, state.problem.objective.asked_limit
        group = whole(state, limit, MODEL_SIZE)
        seconds = budget.seconds_of_work(self.UPTO) if budget.counted else budget.limit
        if group is None or not len(group.items) or budget.time_left < FIRST_CALL or not seconds:
            return
        from equilag.solver.cpsat.constraint_families import Rates
        from equilag.solver.cpsat.model import (
            CpSatLimits,
            SolverFailed,
            quoted,
            solve_shortage,
        )

        shortage, objective = problem.shortage, problem.objective
        assert shortage is not None
        rates = Rates(
            shortage.rate[group.items],
            shortage.held(group.rest)[group.members],
            shortage.capacity[group.members],
        )
        limits = CpSatLimits(
            budget.time_left * self.SHARE,
            DETERMINISTIC * seconds / 3,
            problem.task.seed,
            budget.stop,
        )
        if budget.counted:
            budget.pay(seconds)
        try:
            answer = solve_shortage(
                group.problem, limits, rates, limit,
                objective.move_cost if objective.unit is None else 0, objective.moves_rank_first,
            )  # fmt: skip
        except (SolverFailed, MemoryError, RuntimeError) as error:
            yield Note(failure(ALGORITHM, error))
            return
        for assigned in answer.found:
            yield Proposal(group.assignment(assigned), ALGORITHM)
        bound = shortage.records(answer.bound)
        if bound > state.bounds.short:
            data = {"max_moves": limit, **quoted(limits)}
            yield Claim(SHORT, bound, "cp-sat", data, "solver")


def _named(state: SolveState, prices: ShortPrices, limit: int | None) -> dict[str, Any]:
    """The data of a claim, by name."""
    members = state.problem.group.members
    places = zip(members, prices.place.tolist(), strict=True)
    return {
        "members": [members[m].id for m in np.flatnonzero(prices.counted).tolist()],
        "places": {member.id: price for member, price in places if price},
        "move": prices.move,
        "max_moves": limit,
    }
