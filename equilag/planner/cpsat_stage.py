"""The stage that gives the whole group to CP-SAT, where it is too wide for an exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from equilag.budget import Budget
from equilag.claim import Claim
from equilag.exhaustive.whole_group import WholeGroup
from equilag.planner.exhaustive_stage import whole
from equilag.planner.state import Contribution, Note, Proposal, SolveState

if TYPE_CHECKING:
    from equilag.solver.cpsat.model import CpSatLimits

MODEL_SIZE: Final = 4_000
"""Items × members up to which the whole group is worth a CP-SAT model."""
FIRST_CALL: Final = 0.8
"""Seconds to have left: importing CP-SAT takes half a second in a new process."""
FIRST_MODEL: Final = 0.02
"""Seconds of work to have left: what building a model takes."""
SHARE: Final = 0.7
"""Of the time left, what CP-SAT may take; the deep search follows."""
LISTING: Final = 0.5
"""Of what the model was allowed, what listing its solutions may take."""
DETERMINISTIC: Final = 0.3
"""CP-SAT's deterministic time per second, of time or of work: less than the clock allows, so that
the run is the same every time."""
UPTO: Final = 0.8
"""Part of the work that may be spent when CP-SAT ends."""
ALGORITHM: Final = "cp-sat"


class FullModel:
    """The whole group as one model.

    Its turn comes early after an exhaustive search was tried (`searched`), as a group so small is
    soon solved or never; late otherwise, as local searches are better at larger ones.
    """

    name: Final = ALGORITHM

    def __init__(self, searched: bool) -> None:
        self.searched = searched

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if state.proved or (state.searched.work > 0) != self.searched:
            return False
        group = whole(state.problem, MODEL_SIZE)
        if group is None or not len(group.items):
            return False
        if budget.seconds_of_work(UPTO) < FIRST_MODEL:
            return False
        return budget.time_left > FIRST_CALL

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        from equilag.solver.cpsat.model import CpSatLimits, SolverFailed, solve_model

        problem = state.problem
        group = whole(problem, MODEL_SIZE)
        assert group is not None
        seconds = budget.seconds_of_work(UPTO) if budget.counted else budget.limit
        deterministic = DETERMINISTIC * seconds
        limits = CpSatLimits(
            budget.time_left * SHARE, deterministic, problem.task.seed, budget.stop
        )
        if budget.counted:
            budget.pay(seconds)
        hint = group.columns(state.incumbent.assigned)
        move_cost = problem.objective.move_cost
        try:
            answer = solve_model(group.problem, limits, hint, problem.move_limit, move_cost)
        except (SolverFailed, MemoryError, RuntimeError) as error:
            yield Note(f"cp-sat failed ({type(error).__name__}: {str(error)[:200]})")
            return
        if not answer.exhausted:
            budget.mark_cut()
        if answer.assigned is not None:
            yield Proposal(group.assignment(answer.assigned), ALGORITHM)
        if answer.outcome == "infeasible":
            yield Note("cp-sat called a model infeasible that has a solution")
            return
        yield from _solver_claim(state, answer.bound, limits)
        if answer.outcome == "optimal" and answer.rounded and not state.proved:
            yield from _compare_exactly(state, group, budget, limits)


def _compare_exactly(
    state: SolveState, group: WholeGroup, budget: Budget, limits: CpSatLimits
) -> Iterator[Contribution]:
    """List all solutions that the rounded model takes for as good as the plan, and propose each.

    Nothing but rounding is left between plan and bound then.
    """
    from equilag.solver.cpsat.model import all_below

    problem = state.problem
    if problem.objective.move_cost:
        return
    deterministic = LISTING * limits.deterministic
    if budget.counted:
        deterministic = min(deterministic, DETERMINISTIC * budget.seconds_of_work())
        budget.pay(deterministic / DETERMINISTIC)
    wall = min(LISTING * limits.wall, budget.time_left * SHARE)
    limits = replace(limits, wall=wall, deterministic=deterministic)
    found = all_below(group.problem, limits, state.incumbent.spread, problem.move_limit)
    if found is None:
        budget.mark_cut()
        return
    for assigned in found:
        yield Proposal(group.assignment(assigned), ALGORITHM)
    yield from _solver_claim(state, state.incumbent.spread, limits)


def _solver_claim(state: SolveState, bound: int, limits: CpSatLimits) -> Iterator[Contribution]:
    """A bound that rests on the solver's word, if it says more than what is known."""
    from equilag.solver.cpsat.model import parameters, version

    if bound <= state.bound:
        return
    data = {
        "max_moves": state.problem.move_limit,
        "version": version(),
        "parameters": {k: v for k, v in parameters(limits).items() if "max_time" not in k},
    }
    yield Claim(state.problem.objective.bound_claim, bound, "cp-sat", data, "solver")
