"""The improving stages that work on every point of the front, for `frontier`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.budget import Budget, OutOfBudget
from equilag.certificate.search_checks import SEARCH_WORK, search_target
from equilag.exhaustive.search import Search
from equilag.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.planner.cpsat_stage import FIRST_CALL, MODEL_SIZE
from equilag.planner.problem import Problem
from equilag.planner.state import Contribution, FrontPoint, MoveBound, SolveState
from equilag.solver.local_search.improvement_goal import ImprovementGoal
from equilag.solver.local_search.large_neighbourhood import (
    NEIGHBOURHOOD_WORK,
    search_neighbourhoods,
)
from equilag.solver.local_search.pairwise_swaps import swap_pairwise


class ExhaustiveFront:
    """The least spread for every number of moves, where the whole group can be searched."""

    name: Final = "front"

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return searchable(state.problem) is not None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        group = searchable(problem)
        assert group is not None
        with budget.part(SEARCH_WORK) as part:
            try:
                search = Search(group.problem, part)
                moves = problem.fewest_moves
                while True:
                    yield MoveBound(moves, state.proofs.spread)
                    yield from _least_spread(state, group, search, moves)
                    proved = state.front.least_spread(moves) <= state.proofs.spread
                    if proved or moves >= len(group.items):
                        return
                    moves += 1
            except OutOfBudget:
                return


def searchable(problem: Problem) -> WholeGroup | None:
    """The group as one small problem without a limit on moves; None if it is too large or fixed."""
    group = whole_problem(problem.group, problem.constraint)
    return group if group is not None and len(group.items) else None


def _least_spread(
    state: SolveState, group: WholeGroup, search: Search, moves: int
) -> Iterator[Contribution]:
    """Close the gap between the bound and the best plan with so many moves."""
    proofs, step = state.proofs, 0
    while (reached := state.front.least_spread(moves)) > (bound := state.move_bounds[moves]):
        goal = min(bound + step, reached - 1)
        found = search.find(search_target(goal + 1, moves, 0, proofs.highest, proofs.lowest))
        if found is None:
            yield MoveBound(moves, goal + 1)
            step = max(1, step * 4)
        else:
            yield FrontPoint(group.assignment(found), "exhaustive-search")
            step = (state.front.least_spread(moves) - bound) // 2


class PolishedFront:
    """Lower the spread of the points on the front without another move."""

    name: Final = "front"
    POINTS: Final = 40
    """Points of a large group's front that are looked at; more than a screen shows."""
    ROUNDS: Final = 60
    """Neighbourhoods of one point."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return searchable(state.problem) is None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem, points = state.problem, state.front.points()
        number = min(self.POINTS, len(points))
        chosen = np.unique(np.linspace(0, len(points) - 1, number).astype(int))
        for place in chosen.tolist():
            if budget.expired():
                return
            share = budget.share(1 / self.POINTS)
            rng = np.random.default_rng(problem.task.seed)
            better = swap_pairwise(
                problem.group, problem.constraint, points[place].assigned, rng, share.expired,
                ImprovementGoal(state.proofs.spread, True),
            )  # fmt: skip
            with share.part(self.ROUNDS * NEIGHBOURHOOD_WORK) as part:
                better = search_neighbourhoods(
                    problem.group, problem.constraint, better, rng, part,
                    ImprovementGoal(state.proofs.spread, True), rounds=self.ROUNDS,
                )  # fmt: skip
            yield FrontPoint(better, "front")


class ModelledFront:
    """Each point of the front by CP-SAT, where the group is small enough for a model."""

    name: Final = "front by cp-sat"
    DETERMINISTIC: Final = 2.0
    """CP-SAT's deterministic time for one point."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if searchable(state.problem) is not None or budget.time_left < FIRST_CALL:
            return False
        return self._group(state.problem) is not None

    def _group(self, problem: Problem) -> WholeGroup | None:
        group = whole_problem(problem.group, problem.constraint, cells=MODEL_SIZE)
        return group if group is not None and len(group.items) else None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        from equilag.solver.cpsat.model import CpSatLimits, solve_model

        problem, points = state.problem, state.front.points()
        group = self._group(problem)
        assert group is not None
        for number, point in enumerate(points):
            if budget.expired():
                return
            wall = budget.time_left / (len(points) - number)
            limits = CpSatLimits(wall, self.DETERMINISTIC, problem.task.seed, budget.stop)
            hint = group.columns(point.assigned)
            answer = solve_model(group.problem, limits, hint, point.moves)
            yield MoveBound(point.moves, answer.bound)
            if answer.assigned is not None:
                yield FrontPoint(group.assignment(answer.assigned), "cp-sat")
