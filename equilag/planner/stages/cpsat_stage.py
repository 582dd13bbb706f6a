"""The stage that gives the whole group to CP-SAT, where it is too wide for an exhaustive search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from equilag.certificate.exhaustive.whole_group import WholeGroup
from equilag.domain.budget import Budget
from equilag.domain.group.member_capacities import Load
from equilag.planner.solving.stage import failure
from equilag.planner.solving.state import (
    Aim,
    Contribution,
    Note,
    Proposal,
    SolveState,
    aim_of_search,
)
from equilag.planner.stages.exhaustive_stage import whole
from equilag.solver.cpsat.scaled_loads import LoadsKnown

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

    def __init__(
        self,
        searched: bool | None,
        upto: float = UPTO,
        aim: Callable[[SolveState], Aim] = aim_of_search,
    ) -> None:
        """`searched` None: whether or not a search was tried. `upto`: part of the work that may be
        spent when it ends."""
        self.searched = searched
        self.upto = upto
        self.aim = aim

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if self.searched is not None and (state.searched.work > 0) != self.searched:
            return False
        aim = self.aim(state)
        group = whole(state, aim.limit, MODEL_SIZE) if aim.open(state) else None
        if group is None or not len(group.items):
            return False
        if budget.seconds_of_work(self.upto) < FIRST_MODEL:
            return False
        return budget.time_left > FIRST_CALL

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        from equilag.solver.cpsat.model import CpSatLimits, SolverFailed, solve_model

        problem, aim = state.problem, self.aim(state)
        group, best = whole(state, aim.limit, MODEL_SIZE), aim.best(state)
        assert group is not None
        assert best is not None
        seconds = budget.seconds_of_work(self.upto) if budget.counted else budget.limit
        deterministic = DETERMINISTIC * seconds
        limits = CpSatLimits(
            budget.time_left * SHARE, deterministic, problem.task.seed, budget.stop
        )
        if budget.counted:
            budget.pay(seconds)
        hint = group.columns(best.assigned)
        try:
            answer = solve_model(
                group.problem, limits, hint, aim.limit, aim.move_cost, _known(state, aim)
            )
        except (SolverFailed, MemoryError, RuntimeError) as error:
            yield Note(failure(ALGORITHM, error))
            return
        if not answer.exhausted:
            budget.mark_cut()
        if answer.assigned is not None:
            yield Proposal(group.assignment(answer.assigned), ALGORITHM)
        if answer.outcome == "infeasible":
            yield Note("cp-sat called a model infeasible that has a solution")
            return
        yield from solver_claim(state, aim, answer.bound, limits)
        if answer.outcome == "optimal" and answer.rounded and aim.open(state):
            yield from _compare_exactly(state, aim, group, budget, limits)


def _known(state: SolveState, aim: Aim) -> LoadsKnown | None:
    high, low = (state.proofs.value(name) for name in ("max_load_at_least", "min_load_at_most"))
    best = aim.best(state)
    if high is None or low is None or best is None:
        return None
    return LoadsKnown(high, low, None if aim.move_cost else best.spread)


def _compare_exactly(
    state: SolveState, aim: Aim, group: WholeGroup, budget: Budget, limits: CpSatLimits
) -> Iterator[Contribution]:
    """List all solutions that the rounded model takes for as good as the plan, and propose each.

    Nothing but rounding is left between plan and bound then.
    """
    from equilag.solver.cpsat.model import all_below

    reached = aim.reached(state)
    if aim.move_cost or reached is None:
        return
    deterministic = LISTING * limits.deterministic
    if budget.counted:
        deterministic = min(deterministic, DETERMINISTIC * budget.seconds_of_work())
        budget.pay(deterministic / DETERMINISTIC)
    wall = min(LISTING * limits.wall, budget.time_left * SHARE)
    limits = replace(limits, wall=wall, deterministic=deterministic)
    found = all_below(group.problem, limits, reached, aim.limit)
    if found is None:
        budget.mark_cut()
        return
    for assigned in found:
        yield Proposal(group.assignment(assigned), ALGORITHM)
    yield from solver_claim(state, aim, aim.reached(state) or 0, limits)


def solver_claim(
    state: SolveState, aim: Aim, bound: Load, limits: CpSatLimits
) -> Iterator[Contribution]:
    """A bound that rests on the solver's word, if it says more than what is known."""
    from equilag.solver.cpsat.model import quoted

    if bound <= aim.bound(state):
        return
    yield aim.proved(bound, "cp-sat", "solver", **quoted(limits))
