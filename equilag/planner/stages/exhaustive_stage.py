"""The stages that search a whole small group: optima, with proofs that can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.plan.metrics import most_moves
from equilag.planner.solving.state import (
    Aim,
    Contribution,
    Proposal,
    Searched,
    SolveState,
    aim_of_search,
)

ALGORITHM: Final = "exhaustive-search"
MOST_EXTRA: Final = 10
"""Moves beyond the fewest up to which the front is searched in groups too large to be searched for
any number of moves; the work doubles with every other."""


class ExhaustiveSearch:
    """Raise the bound from below and lower the plan from above until they meet.

    `work` is what it may cost, in array elements; `upto` how much of the run's work may be spent
    when it ends; `aim` what it is to prove.
    """

    def __init__(
        self,
        name: str,
        work: int,
        upto: float = 1.0,
        aim: Callable[[SolveState], Aim] = aim_of_search,
    ) -> None:
        self.name = name
        self.work = work
        self.upto = upto
        self.aim = aim

    def applies(self, state: SolveState, budget: Budget) -> bool:
        aim = self.aim(state)
        if state.searched.work >= self.work and aim == aim_of_search(state):
            return False
        return unproved(state, aim) and whole(state, aim.limit) is not None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        aim = self.aim(state)
        group = whole(state, aim.limit)
        assert group is not None
        if aim == aim_of_search(state):
            yield Searched(max(self.work, state.searched.work))
        with budget.part(self.work, self.upto) as part:
            try:
                search = Search(group.problem, part)
                yield from close_gap(state, group, search, aim)
            except OutOfBudget:
                return


class ExhaustiveFront:
    """The least spread for every number of moves, fewest first; in larger groups for the lowest."""

    name: Final = "exhaustive front"
    SHARE: Final = 0.4
    """Of the time left."""
    PATIENCE: Final = 3
    """Numbers of moves that cost too much, after which the higher ones are left out."""

    def __init__(self, work: int, upto: float = 1.0) -> None:
        """`work` is what each number of moves may cost."""
        self.work = work
        self.upto = upto

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if not state.problem.moves_trade or state.front_proved or state.goals_done:
            return False
        return whole(state, most_searched(state)) is not None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        most, limited = most_searched(state), budget.share(self.SHARE)
        group = whole(state, most)
        assert group is not None
        if state.problem.objective.unit is not None:
            with budget.part(self.work, self.upto) as part:
                try:
                    yield from _close_points(state, group, Search(group.problem, part))
                except OutOfBudget:
                    return
            return
        given_up = 0
        for moves in range(state.problem.fewest_moves, most + 1):
            settled = state.front.least_spread(moves) <= state.proofs.spread
            if settled or given_up >= self.PATIENCE or limited.expired():
                return
            with limited.part(self.work, self.upto) as part:
                try:
                    search = Search(group.problem, part)
                    yield from close_gap(state, group, search, Aim(moves))
                except OutOfBudget:
                    given_up += 1


def most_searched(state: SolveState) -> int:
    """The most moves that an exhaustive search of the group is worth its work for."""
    if whole(state, None) is not None:
        return most_moves(state.problem.group)
    return state.problem.fewest_moves + MOST_EXTRA


def _close_points(state: SolveState, group: WholeGroup, search: Search) -> Iterator[Contribution]:
    """Close the gap of each point of the front, up to the moves of the next one: prices of moves
    are too many to look at each."""
    while not state.front_proved:
        rows = state.front.points()
        ends = [*(row.moves - 1 for row in rows[1:]), None]
        pairs = zip(rows, ends, strict=True)
        end = next(end for row, end in pairs if state.bound_within(end) < row.spread)
        yield from close_gap(state, group, search, Aim(end))


def whole(state: SolveState, limit: int | None, cells: int | None = None) -> WholeGroup | None:
    """All that is free in the group as one small problem; None if it is too large."""
    return whole_problem(state.problem.group, state.problem.constraint, limit, cells)


def close_gap(
    state: SolveState, group: WholeGroup, search: Search, aim: Aim
) -> Iterator[Contribution]:
    """Search below the bound first: narrow targets are the cheap ones to rule out. With few moves,
    where no spread is small, below the best plan.

    What only a solver has closed is proved again.
    """
    step = 0
    while unproved(state, aim):
        bound, reached = aim.bound(state), aim.reached(state)
        if reached is None:
            return
        value = min(bound + step + 1, reached) if aim.limit is None else reached
        found = search.find(aim.target(state, value))
        if found is not None:
            yield Proposal(group.assignment(found), ALGORITHM)
            step = ((aim.reached(state) or 0) - bound) // 2
            continue
        yield aim.proved(value, "search")
        if value == reached:
            return
        step = max(1, step * 4)


def unproved(state: SolveState, aim: Aim) -> bool:
    """True if there is a gap left to close, or one that only a solver has closed."""
    if aim.open(state):
        return True
    claim = state.proofs.strongest(aim.claim, aim.limit)
    return claim is not None and claim.evidence == "solver"
