"""The stages that search a whole small group: optima, with proofs that can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.planner.solving.state import (
    Aim,
    Contribution,
    Proposal,
    Searched,
    SolveState,
    aim_of_search,
)

ALGORITHM = "exhaustive-search"


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
        yield Searched(max(self.work, state.searched.work))
        with budget.part(self.work, self.upto) as part:
            try:
                search = Search(group.problem, part)
                yield from close_gap(state, group, search, aim)
                yield from _replace_solver_claim(state, search, aim)
            except OutOfBudget:
                return


class ExhaustiveFront:
    """The least spread for every number of moves, fewest first."""

    def __init__(self, name: str, work: int, upto: float = 1.0) -> None:
        self.name = name
        self.work = work
        self.upto = upto

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if not state.problem.moves_trade:
            return False
        return not state.front_proved and whole(state, None) is not None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        group = whole(state, None)
        assert group is not None
        least, most = state.problem.fewest_moves, len(group.items)
        with budget.part(self.work, self.upto) as part:
            try:
                search = Search(group.problem, part)
                if state.problem.objective.unit is not None:
                    yield from _close_points(state, group, search)
                    return
                for moves in range(least, most + 1):
                    yield from close_gap(state, group, search, Aim(moves))
                    if state.front.least_spread(moves) <= state.proofs.spread:
                        return
            except OutOfBudget:
                return


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
    """Search below the bound first: narrow targets are the cheap ones to rule out."""
    step = 0
    while aim.open(state):
        bound, reached = aim.bound(state), aim.reached(state)
        assert reached is not None
        goal = min(bound + step, reached - 1)
        found = search.find(aim.target(state, goal + 1))
        if found is None:
            yield aim.proved(goal + 1, "search")
            step = max(1, step * 4)
        else:
            yield Proposal(group.assignment(found), ALGORITHM)
            step = ((aim.reached(state) or 0) - bound) // 2


def unproved(state: SolveState, aim: Aim) -> bool:
    """True if there is a gap left to close, or one that only a solver has closed."""
    if aim.open(state):
        return True
    claim = state.proofs.strongest(aim.claim, aim.limit)
    return claim is not None and claim.evidence == "solver"


def _replace_solver_claim(state: SolveState, search: Search, aim: Aim) -> Iterator[Contribution]:
    """Prove again what rests on a solver's word, where the search gets there."""
    claim, value = state.proofs.strongest(aim.claim, aim.limit), aim.reached(state)
    if claim is None or claim.evidence == "checked" or value is None:
        return
    if search.find(aim.target(state, value)) is None:
        yield aim.proved(value, "search")
