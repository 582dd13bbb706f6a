"""The stage that searches a whole small group: the optimum, with a proof that can be repeated."""

from __future__ import annotations

from collections.abc import Iterator

from equilag.budget import Budget, OutOfBudget
from equilag.certificate.search_checks import search_target
from equilag.claim import Claim
from equilag.exhaustive.search import Search
from equilag.exhaustive.target import SearchTarget
from equilag.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.planner.problem import Problem
from equilag.planner.state import Contribution, Proposal, Searched, SolveState

ALGORITHM = "exhaustive-search"


class ExhaustiveSearch:
    """Raise the bound from below and lower the plan from above until they meet.

    `work` is what it may cost, in array elements; `upto` how much of the run's work may be spent
    when it ends.
    """

    def __init__(self, name: str, work: int, upto: float = 1.0) -> None:
        self.name = name
        self.work = work
        self.upto = upto

    def applies(self, state: SolveState, budget: Budget) -> bool:
        if state.searched.work >= self.work or state.searched.complete:
            return False
        return whole(state.problem) is not None

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        group = whole(state.problem)
        assert group is not None
        yield Searched(self.work)
        with budget.part(self.work, self.upto) as part:
            try:
                search = Search(group.problem, part)
                yield from _close_gap(state, group, search)
                yield from _replace_solver_claim(state, search)
                yield from _fewest_moves(state, group, search)
            except OutOfBudget:
                return
        yield Searched(self.work, complete=state.proved)


def whole(problem: Problem, cells: int | None = None) -> WholeGroup | None:
    """All that is free in the group as one small problem; None if it is too large."""
    return whole_problem(problem.group, problem.constraint, problem.move_limit, cells)


def target_below(state: SolveState, value: int) -> SearchTarget:
    """What must not exist if every plan's last goal is at least `value`."""
    problem, proofs = state.problem, state.proofs
    cost = problem.objective.move_cost
    return search_target(value, problem.move_limit, cost, proofs.highest, proofs.lowest)


def _close_gap(state: SolveState, group: WholeGroup, search: Search) -> Iterator[Contribution]:
    """Search below the bound first: narrow targets are the cheap ones to rule out."""
    if not state.within_move_limit(state.incumbent):
        return
    step = 0
    while not state.proved:
        bound, reached = state.bound, state.value(state.incumbent)
        goal = min(bound + step, reached - 1)
        found = search.find(target_below(state, goal + 1))
        if found is None:
            yield _claim(state, goal + 1)
            step = max(1, step * 4)
        else:
            yield Proposal(group.assignment(found), ALGORITHM)
            step = (state.value(state.incumbent) - bound) // 2


def _replace_solver_claim(state: SolveState, search: Search) -> Iterator[Contribution]:
    """Prove again what rests on a solver's word, where the search gets there."""
    claim = state.proofs.claims.get(state.problem.objective.bound_claim)
    if claim is None or claim.evidence == "checked":
        return
    value = state.value(state.incumbent)
    if search.find(target_below(state, value)) is None:
        yield _claim(state, value)


def _claim(state: SolveState, value: int) -> Claim:
    data = {"max_moves": state.problem.move_limit}
    return Claim(state.problem.objective.bound_claim, value, "search", data)


def _fewest_moves(state: SolveState, group: WholeGroup, search: Search) -> Iterator[Contribution]:
    """Of the most even plans (within the tolerance), one with the fewest moves: by bisection."""
    problem, proofs = state.problem, state.proofs
    policy = problem.objective.policy
    if not state.proved or policy.moves_first or policy.fresh or problem.objective.move_cost:
        return
    spread = state.incumbent.spread + problem.allowance
    fewest, most = problem.fewest_moves, state.incumbent.moves
    while fewest < most:
        middle = (fewest + most) // 2
        found = search.find(search_target(spread + 1, middle, 0, proofs.highest, proofs.lowest))
        if found is None:
            fewest = middle + 1
            continue
        yield Proposal(group.assignment(found), ALGORITHM)
        nearest = state.front.fewest_moves_within(spread)
        most = min(middle, nearest.moves if nearest is not None else middle)
