"""The improving stages that bring loads to the level that the bounds leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from equilag.domain.budget import Budget, limit_steps
from equilag.domain.group.group import Index
from equilag.planner.solving.problem import NEGLIGIBLE, Problem
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.planner.stages.improving_stages import goal_of
from equilag.solver.local_search.equal_loads import equalise_loads
from equilag.solver.local_search.levelling import heaviest_gives, level_loads
from equilag.solver.local_search.three_way_splits import bring_close
from equilag.solver.local_search.way_back import keep_alike
from equilag.solver.lower_bounds.load_bounds import crowd

LEVELS: Final = "levels"
"""The algorithm's name."""


class Levels:
    """The most even loads, per unit of capacity, or with no more moves than there must be."""

    name: Final = "levels"
    SETTLE: Final = 2e-7
    """Seconds per partition before the first round."""
    SHARE: Final = 0.75
    """Of the time left."""
    FIRST: Final = 2
    """Rounds before owners keep what is about as heavy as what they get, which leaves half of the
    moves; the rounds after it make up for that."""
    ALIKE: Final = 1.3
    """Ratio of two lags that are about as heavy."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        general = problem.moves_matter or problem.has_capacities or problem.constraint.per_topic
        if state.proved or not general:
            return False
        return budget.has_time(self.SETTLE * problem.group.n_partitions)

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        size = problem.group.n_partitions
        budget.pay(self.SETTLE * size)
        stop = budget.steps(round_of_levels(problem), upto=0.5, share=self.SHARE)
        group, constraint, goal = problem.group, problem.constraint, goal_of(state)
        heaviest = None
        if problem.has_capacities and not problem.moves_matter:
            heaviest = crowd(problem.counting, problem.counting.active)

        def levelled(start: Index, stop: Callable[[], bool], apart: int | None) -> Proposal:
            return Proposal(
                level_loads(group, constraint, start, state.rng, stop, goal, apart), LEVELS
            )

        if problem.moves_trade:
            first = limit_steps(self.FIRST, stop)
            yield levelled(state.most_even.assigned, first, heaviest)
            kept = keep_alike(group, constraint, state.most_even.assigned, self.ALIKE)
            yield Proposal(kept, LEVELS)
            yield levelled(kept, stop, None)
        if not problem.moves_trade or state.gap > NEGLIGIBLE * problem.mean:
            yield levelled(state.most_even.assigned, stop, heaviest)


class LevelsWithin:
    """The most even loads within the policy's limit on moves: all of them are used while they
    gain."""

    name: Final = "levels within the limit"
    SHARE: Final = 0.5
    """Of the time left."""

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return state.limit is not None and not state.done and not state.problem.moves_matter

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem, limit = state.problem, state.limit
        assert limit is not None
        group, constraint = problem.group, problem.constraint
        price = round_of_levels(problem)
        goal = replace(goal_of(state), most_moves=limit)
        few = state.front.fewest_moves()
        stop = budget.steps(STEP_PRICE, upto=1.0, share=self.SHARE)
        simple = heaviest_gives(group, constraint, few.assigned, stop, limit - few.moves)
        yield Proposal(simple, "heaviest-gives")
        for start in (state.front.most_even(limit).assigned, simple):
            stop = budget.steps(price, upto=1.0, share=self.SHARE)
            found = level_loads(group, constraint, start, state.rng, stop, goal)
            yield Proposal(found, LEVELS)


def round_of_levels(problem: Problem) -> float:
    """Seconds of one round, which looks at so many partitions of each member at most."""
    size = problem.group.n_partitions
    return 1e-3 + 8e-5 * min(50.0, size / problem.active) + 2e-8 * size


STEP_PRICE: Final = 2e-4
"""Seconds of a step of exact transfers and of splits, as the searches count them."""
ARRANGE: Final = 6e-7
"""Seconds per partition for the table of members and what else no stop condition interrupts."""
EXACT: Final = 0.9
"""Part of the stage's work for exact transfers; the rest is left to come closer otherwise."""


class ExactTransfers:
    """Loads within 1 of each other, set by set, where the counts and the lags allow it.

    Else as close as splits among three members bring them.
    """

    name: Final = "exact transfers"
    SETS: Final = 50
    """Sets of members, the largest first; the rest hold too little to matter."""

    def __init__(self, share: float, upto: float) -> None:
        """A share of the time left, for all sets together; the first part `upto` of the work."""
        self._share = share
        self._upto = upto

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        if state.spread_proved or problem.moves_matter:
            return False
        return bool(problem.sets_alike)

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem, found = state.problem, state.most_even.assigned
        sets = problem.sets_alike[: self.SETS]
        for number, members in enumerate(sets):
            share = self._share / (len(sets) - number)
            if not budget.has_time(ARRANGE * problem.group.n_partitions):
                break
            stop = budget.steps(STEP_PRICE, upto=EXACT * self._upto, share=share)
            found = equalise_loads(problem.group, found, state.rng, stop, members)
            stop = budget.steps(STEP_PRICE, upto=self._upto, share=share)
            found = bring_close(problem.group, found, state.rng, stop, members)
        yield Proposal(found, "exact-transfers")
