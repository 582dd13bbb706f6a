"""The stages that search the front between the fewest moves and the most even plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.budget import Budget, limit_steps
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import roughly
from equilag.domain.policy.objective import most_excess
from equilag.domain.policy.policy_settings import DEFAULT_TOLERANCE
from equilag.planner.solving.front import Candidate, knee
from equilag.planner.solving.stage import STEP
from equilag.planner.solving.state import Aim, Contribution, Proposal, SolveState
from equilag.planner.stages.cpsat_stage import FIRST_CALL, MODEL_SIZE, solver_claim
from equilag.planner.stages.exhaustive_stage import whole
from equilag.planner.stages.improving_stages import GREEDY_DESCENT, GreedyDescent, goal_of
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.levelling import level_loads
from equilag.solver.local_search.way_back import UnevennessLimit, return_to_owners

SMALL: Final = 20_000
"""Partitions up to which the front is searched point by point: a pass takes a millisecond."""


class TowardsOwners:
    """From the most even plan back to the owners, as far as ever wider spreads allow."""

    name: Final = "towards the owners"
    WIDTHS: Final = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
    """Spreads beyond that of the most even plan, in parts of the mean load: each three times the
    one before, from what nobody notices to what anybody would."""
    UPTO: Final = 0.8
    """Part of the work that may be spent when it ends."""
    SHARE: Final = 0.5
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        moving = problem.moves_trade and state.most_even.moves > problem.fewest_moves
        return moving and problem.group.n_partitions <= SMALL

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem, best = state.problem, state.most_even
        price = 0.8 * STEP + 2e-9 * problem.group.n_partitions
        stop = budget.steps(price, self.UPTO, self.SHARE)
        assigned = best.assigned
        for width in self.WIDTHS:
            slack = width * problem.mean
            excess = best.excess + most_excess(slack, problem.active)
            limit = UnevennessLimit(roughly(best.spread) + int(slack), excess)
            assigned = return_to_owners(
                problem.group, problem.constraint, assigned, limit, stop
            ).copy()
            yield Proposal(assigned, "fewer-moves")


PERTURBATION: Final = 8
"""Exchanges that a perturbation tries: few, so that it stays close to where it started."""


def _perturbed(
    group: Group, constraint: CountConstraint, assigned: Index, rng: np.random.Generator
) -> Index:
    """[P] another assignment within the constraint, by some random swaps of two partitions."""
    result = assigned.copy()
    free = np.flatnonzero(constraint.free)
    if len(free) < 2:
        return result
    for one, other in rng.choice(free, (PERTURBATION, 2)).tolist():
        a, b = int(result[one]), int(result[other])
        fits = constraint.may(one, b) and constraint.may(other, a)
        if constraint.per_topic:
            fits = fits and group.topic_of[one] == group.topic_of[other]
        if fits:
            result[one], result[other] = b, a
    return result


class FrontRounds:
    """The whole front again and again, from other starts, until the budget is used up.

    A round walks downhill from a point of the front with blurred choices, evens out one point
    without another move, and takes the way back from it. Every few rounds start from a
    perturbation of the most even plan.
    """

    name: Final = "front"
    NOISE: Final = 0.5
    """Part by which the greedy walk's scores are blurred."""
    STEPS: Final = 40
    """Exchanges of one walk."""
    PATIENCE: Final = 40
    """Rounds in a row without any change of the front, after which the search ends; or as many as
    there were before the last change, if that is more."""
    EXCESS_ONLY: Final = 4
    """The same where every goal is proved, and only excess may be left."""

    def __init__(self, upto: float) -> None:
        """`upto`: part of the work that may be spent when it ends."""
        self.upto = upto

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return state.problem.group.n_partitions <= SMALL and not state.done

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        group = state.problem.group
        price = 10 * STEP + 1e-6 * group.n_partitions
        stop, number, last = budget.steps(price, self.upto), 0, 0
        changes = state.front.changes
        while not stop() and not state.done:
            if state.front.changes != changes:
                changes, last = state.front.changes, number
            settled = state.goals_done or state.front_proved
            if number - last >= (self.EXCESS_ONLY if settled else max(self.PATIENCE, last)):
                return
            yield from self._round(state, budget, number)
            number += 1

    def _round(self, state: SolveState, budget: Budget, number: int) -> Iterator[Contribution]:
        problem, rng = state.problem, state.rng
        group, constraint = problem.group, problem.constraint
        stop = budget.steps(GreedyDescent.price(group.n_partitions), self.upto)
        start = self._start(state, number)
        if problem.moves_trade:
            steps = limit_steps(self.STEPS, stop)
            walk = descend(group, constraint, start.assigned, rng, steps, self.NOISE)
            for assigned in walk:
                yield Proposal(assigned, GREEDY_DESCENT)
        keep = problem.search_limit is not None or start is not state.most_even
        assigned = start.assigned if keep else _perturbed(group, constraint, start.assigned, rng)
        goal = replace(goal_of(state), most_moves=start.moves if keep else None)
        if not state.excess_settled(start):
            goal = replace(goal, enough=-1)
        assigned = level_loads(group, constraint, assigned, rng, stop, goal)
        yield Proposal(assigned, "front")
        if problem.moves_trade:
            limit = UnevennessLimit(roughly(start.spread), start.excess)
            yield Proposal(
                return_to_owners(group, constraint, assigned, limit, stop), "fewer-moves"
            )

    def _start(self, state: SolveState, number: int) -> Candidate:
        """In turn the most even plan, the one within the usual tolerance, the knee, and any."""
        points = state.front.points()
        if state.problem.search_limit is not None or number % 4 == 0 or len(points) < 2:
            return state.most_even
        if number % 4 == 1:
            slack = int(DEFAULT_TOLERANCE / 100 * state.problem.mean)
            near = state.front.fewest_moves_within(points[-1].spread + slack)
            return near or points[-1]
        if number % 4 == 2:
            return knee(points)
        return points[int(state.rng.integers(len(points)))]


class ModelledFront:
    """Each point of the front by CP-SAT, where the group is small enough for a model."""

    name: Final = "front by cp-sat"
    DETERMINISTIC: Final = 2.0
    """CP-SAT's deterministic time for one point."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if not state.problem.moves_trade or budget.counted or budget.time_left < FIRST_CALL:
            return False
        group = None if state.done else whole(state, None, MODEL_SIZE)
        return group is not None and len(group.items) > 0

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        from equilag.solver.cpsat.model import CpSatLimits, solve_model

        problem, points = state.problem, state.front.points()
        group = whole(state, None, MODEL_SIZE)
        assert group is not None
        for number, point in enumerate(points):
            if budget.expired() or state.done:
                return
            aim = Aim(point.moves)
            wall = budget.time_left / (len(points) - number)
            limits = CpSatLimits(wall, self.DETERMINISTIC, problem.task.seed, budget.stop)
            hint = group.columns(point.assigned)
            answer = solve_model(group.problem, limits, hint, point.moves)
            if answer.assigned is not None:
                yield Proposal(group.assignment(answer.assigned), "cp-sat")
            yield from solver_claim(state, aim, answer.bound, limits)
