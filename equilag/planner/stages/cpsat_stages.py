"""The stages that give the whole group to CP-SAT, where it is too wide for an exhaustive search."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from equilag.certificate.bounds.shortage import ShortPrices
from equilag.certificate.exhaustive.whole_group import WholeGroup
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import SHORT
from equilag.planner.solving.fallback import ARC
from equilag.planner.solving.stage import STEP, Turn, failure
from equilag.planner.solving.state import (
    Aim,
    Contribution,
    Note,
    Proposal,
    SolveState,
    aim_of_search,
)
from equilag.planner.stages.exhaustive_stages import whole
from equilag.solver.cpsat.scaled_loads import LoadsKnown
from equilag.solver.lower_bounds.short_flow import price_shortage

if TYPE_CHECKING:
    from equilag.solver.cpsat.model import CpSatLimits

MODEL_SIZE: Final = 4_000
"""Items × members up to which the whole group is worth a CP-SAT model."""
FIRST_CALL: Final = 0.8
"""Seconds to have left where CP-SAT is still to import: that takes half a second."""
MODEL: Final = 0.02
"""Seconds of time and of work to have left where it is imported: what building a model takes."""
DETERMINISTIC: Final = 0.5
"""CP-SAT's deterministic time per second, of time or of work: less than the clock allows, so that
the run is the same every time."""
ALGORITHM: Final = "cp-sat"


def modelled(state: SolveState, turn: Turn, limit: int | None) -> WholeGroup | None:
    """The group with at most so many moves, if a model is worth what is left; else None."""
    budget = turn.budget
    needed = MODEL if "ortools.sat.python.cp_model" in sys.modules else FIRST_CALL
    if budget.time_left <= needed or not budget.seconds_of_work(turn.upto):
        return None
    group = whole(state, limit, MODEL_SIZE)
    return group if group is not None and len(group.items) else None


def limits_of(state: SolveState, turn: Turn, calls: int = 1) -> CpSatLimits:
    """The limits of each of so many calls; the work that is left is paid for."""
    from equilag.solver.cpsat.model import CpSatLimits

    budget = turn.budget
    seconds = budget.seconds_of_work(turn.upto) if budget.counted else budget.limit
    if budget.counted:
        budget.pay(seconds)
    deterministic = DETERMINISTIC * seconds / calls
    wall, seed = budget.time_left * turn.share, state.problem.task.seed
    return CpSatLimits(wall, deterministic, seed, budget.stop)


def full_model(
    state: SolveState,
    turn: Turn,
    searched: bool | None = None,
    aim_of: Callable[[SolveState], Aim] = aim_of_search,
) -> Iterator[Contribution]:
    """The whole group as one model.

    Its turn comes early after an exhaustive search was tried (`searched`), as a group so small is
    soon solved or never; late otherwise, as local searches are better at larger ones. None: whether
    or not one was tried.
    """
    aim = aim_of(state)
    if searched is not None and (state.searched > 0) != searched:
        return
    if turn.budget.seconds_of_work(turn.upto) < MODEL:
        return
    group = modelled(state, turn, aim.limit) if aim.open(state) else None
    if group is not None:
        yield from solve_for(state, turn, aim, group, limits_of(state, turn))


def modelled_front(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """Each point of the front by a model of its own, where the clock alone limits the run."""
    points = state.front.points()
    for number, point in enumerate(points):
        if not state.problem.moves_trade or turn.budget.counted or state.done:
            return
        aim, left = Aim(point.moves), len(points) - number
        part = turn._replace(share=1 / left)
        group = modelled(state, part, aim.limit) if aim.open(state) else None
        if group is not None:
            yield from solve_for(state, part, aim, group, limits_of(state, part, left))


def solve_for(
    state: SolveState, turn: Turn, aim: Aim, group: WholeGroup, limits: CpSatLimits
) -> Iterator[Contribution]:
    """The best plan for an aim, and the bound on it that rests on the solver's word."""
    from equilag.solver.cpsat.model import SolverFailed, solve_model

    best = aim.best(state)
    if best is None:
        return
    hint, known = group.columns(best.assigned), _known(state, aim)
    try:
        answer = solve_model(group.problem, limits, hint, aim.limit, aim.move_cost, known)
    except (SolverFailed, MemoryError, RuntimeError) as error:
        yield Note(failure(ALGORITHM, error))
        return
    if not answer.exhausted:
        turn.budget.mark_cut()
    if answer.assigned is not None:
        yield Proposal(group.assignment(answer.assigned), ALGORITHM)
    if answer.outcome == "infeasible":
        yield Note("cp-sat called a model infeasible that has a solution")
        return
    yield from _claimed(state, aim, answer.bound, limits)
    if answer.outcome == "optimal" and answer.rounded and aim.open(state):
        yield from _compare_exactly(state, turn, aim, group, limits)


def _known(state: SolveState, aim: Aim) -> LoadsKnown | None:
    high, low = (state.proofs.value(name) for name in ("max_load_at_least", "min_load_at_most"))
    best = aim.best(state)
    if high is None or low is None or best is None:
        return None
    return LoadsKnown(high, low, None if aim.move_cost else best.spread)


def _compare_exactly(
    state: SolveState, turn: Turn, aim: Aim, group: WholeGroup, limits: CpSatLimits
) -> Iterator[Contribution]:
    """List all solutions that the rounded model takes for as good as the plan, and propose each.

    Nothing but rounding is left between plan and bound then.
    """
    from equilag.solver.cpsat.model import all_below

    reached, budget = aim.reached(state), turn.budget
    if aim.move_cost or reached is None:
        return
    deterministic = limits.deterministic
    if budget.counted:
        deterministic = min(deterministic, DETERMINISTIC * budget.seconds_of_work())
        budget.pay(deterministic / DETERMINISTIC)
    wall = min(limits.wall, budget.time_left * turn.share)
    limits = replace(limits, wall=wall, deterministic=deterministic)
    found = all_below(group.problem, limits, reached, aim.limit)
    if found is None:
        budget.mark_cut()
        return
    for assigned in found:
        yield Proposal(group.assignment(assigned), ALGORITHM)
    yield from _claimed(state, aim, aim.reached(state) or 0, limits)


def _claimed(
    state: SolveState, aim: Aim, bound: Load, limits: CpSatLimits
) -> Iterator[Contribution]:
    """A bound that rests on the solver's word, if it says more than what is known."""
    from equilag.solver.cpsat.model import quoted

    if bound > aim.bound(state):
        yield aim.proved(bound, "cp-sat", "solver", **quoted(limits))


GOALS: Final = 3
"""Of a model: shortage, moves, spread."""


def least_shortage(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """Plans under which members fall behind less, by a model of small groups; in larger ones the
    searches for evenness leave nothing to gain. Flows prove how much less is possible."""
    if _may_fall_less(state):
        yield from _shortage_proof(state, turn)
    if _may_fall_less(state):
        yield from goals_in_turn(state, turn)
        yield from _shortage_proof(state, turn)


def _may_fall_less(state: SolveState) -> bool:
    problem, best = state.problem, state.incumbent
    if problem.shortage is None:
        return False
    moves_more = problem.moves_matter and best.moves > problem.fewest_moves
    return moves_more or best.figures.short > state.bounds.short


def _shortage_proof(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """What flows prove of the members that the best plan so far leaves behind."""
    problem, group, limit = state.problem, state.problem.group, state.problem.objective.asked_limit
    shortage = problem.shortage
    assert shortage is not None
    counted = shortage.over(state.incumbent.assigned) > 0
    price = STEP + ARC * group.n_partitions * len(group.class_topics)
    stop = turn.budget.steps(price, share=turn.share)
    found = price_shortage(problem.constraint, shortage, counted, limit, stop)
    if found is None:
        return
    bound, prices = shortage.records(found[0]), found[1]
    if bound >= state.bounds.short and bound > 0:
        yield Claim(SHORT, bound, "prices", _named(state, prices, limit))


def open_goals(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The same with what work is left, for what no other search knows: who falls behind least, and
    a limit on the number of moves that have a weight."""
    problem, objective = state.problem, state.problem.objective
    known = objective.limits_number or problem.shortage is not None
    if known and not state.optimal:
        yield from goals_in_turn(state, turn)


def goals_in_turn(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The best plan by who falls behind, moves and spread, by a model of a small group."""
    problem, limit = state.problem, state.problem.objective.asked_limit
    group = modelled(state, turn, limit)
    if group is None:
        return
    from equilag.solver.cpsat.constraint_families import Rates
    from equilag.solver.cpsat.model import SolverFailed, quoted, solve_in_turn

    shortage, objective = problem.shortage, problem.objective
    rates = None
    if shortage is not None:
        rates = Rates(
            shortage.rate[group.items],
            shortage.held(group.rest)[group.members],
            shortage.capacity[group.members],
        )
    limits = limits_of(state, turn, GOALS)
    try:
        answer = solve_in_turn(group.problem, limits, rates, objective)
    except (SolverFailed, MemoryError, RuntimeError) as error:
        yield Note(failure(ALGORITHM, error))
        return
    for assigned in answer.found:
        yield Proposal(group.assignment(assigned), ALGORITHM)
    if shortage is None or objective.limits_number:  # no claim covers such a limit
        return
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
