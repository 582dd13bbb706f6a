"""The stages for plans with few moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.certificate.checks.search_checks import within_spread
from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.whole_group import WholeGroup
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import MOVES_WITHIN, SPREAD
from equilag.planner.solving.state import Contribution, Proposal, SolveState, aim_of_policy
from equilag.planner.stages.exhaustive_stage import ALGORITHM, MOST_EXTRA, most_searched, whole
from equilag.solver.exchange.exchange_beam import (
    WIDTH,
    FewExchanges,
    extension_price,
    search_beam,
)

PROVABLE: Final = 600
"""Moves times partitions up to which a proof was seen to end within a second or two."""


class FewMoves:
    """An even plan for each of the lowest numbers of moves, by a beam search over exchanges."""

    name: Final = "few exchanges"
    LARGEST: Final = 20_000
    """Partitions up to which a step takes milliseconds."""
    SMALLEST: Final = 16
    """Partitions up to which the exact searches take less time than a beam."""
    CELLS: Final = 1_000_000
    """Partitions times members: their table takes some 40 ms to make, which nothing interrupts."""
    UPTO: Final = 0.15
    """Part of the work that may be spent when it ends."""

    def __init__(self, share: float = 0.7, width: int = WIDTH, within_limit: bool = False) -> None:
        """`share` of the time left; `width` of a beam; `within_limit`: search only among plans
        within the policy's limit on moves."""
        self.share = share
        self.width = width
        self.within_limit = within_limit

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        if self.within_limit and not aim_of_policy(state).open(state):
            return False
        size = problem.group.n_partitions
        few = self.SMALLEST < size <= self.LARGEST and size * problem.active <= self.CELLS
        few = few and problem.counts_few_moves
        return few and problem.has_owners and not state.front_proved

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        problem = state.problem
        most = problem.fewest_moves
        if problem.search_limit is None:
            most = max(most, state.front.fewest_moves().moves) + MOST_EXTRA
        if self.within_limit and state.limit is not None:
            most = min(most, state.limit)
        starts = [c.assigned for c in state.front.candidates if c.moves <= most]
        price = extension_price(problem.group)
        stop = budget.steps(price, self.UPTO, self.share)
        limit = FewExchanges(most, self.width)
        for found in search_beam(problem.group, problem.constraint, starts, limit, stop):
            yield Proposal(found, "few-exchanges")


class CountedMoves:
    """What counting says of the policy's limit on moves."""

    name: Final = "bound for a number of moves"

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return state.limit is not None and aim_of_policy(state).open(state)

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        limit = state.limit
        if limit is None:
            return
        bound = state.problem.forced_spread(limit)
        if bound > state.proofs.spread_within(limit):
            yield Claim(SPREAD, bound, "moves", {"max_moves": limit})


class FewestMovesWithin:
    """The fewest moves of all plans as even as the tolerance asks for.

    Not where a limit on moves binds, whose proof gets the time and work instead; what this finds is
    the same for every limit that does not.
    """

    name: Final = "fewest moves within the tolerance"

    def __init__(self, work: int) -> None:
        """`work` is what it may cost, in array elements."""
        self.work = work

    def applies(self, state: SolveState, budget: Budget) -> bool:
        problem = state.problem
        if not problem.moves_trade or problem.objective.move_cost or not state.problem.mean:
            return False
        best, limit = state.unlimited, state.limit
        binds = limit is not None and limit < best.moves
        return problem.fewest_moves < best.moves and not binds

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        spread = max(_cap(state), state.unlimited.spread)
        counted = _counted_moves(state, spread)
        fewer = state.unlimited.moves - 1
        group = whole(state, fewer) if fewer <= most_searched(state) else None
        if group is not None and not state.problem.group.extended.has_stakes:
            with budget.part(self.work) as part:
                yield from _fewest_by_search(state, part, group, spread)
        if (state.proofs.value(MOVES_WITHIN) or 0) < counted:
            yield Claim(MOVES_WITHIN, counted, "moves", {"spread": written(spread)})


def _cap(state: SolveState) -> Load:
    """The spread up to which a plan is as even as the best one."""
    return state.problem.caps(state.front.candidates).value


def _counted_moves(state: SolveState, spread: Load) -> int:
    """No plan with so large a spread, or a smaller one, has fewer moves, by counting; 0 where
    counting says no more than the counts force."""
    fewest = moves = state.problem.fewest_moves
    while moves < state.unlimited.moves and state.problem.forced_spread(moves) > spread:
        moves += 1
    return moves if moves > fewest else 0


def _fewest_by_search(
    state: SolveState, budget: Budget, group: WholeGroup, spread: Load
) -> Iterator[Contribution]:
    """Look for a plan as even with one move less, until there is none."""
    moves, proofs = state.unlimited.moves, state.proofs
    try:
        search = Search(group.problem, budget)
        while moves > state.problem.fewest_moves:
            target = within_spread(spread, moves - 1, proofs.highest, proofs.lowest)
            found = search.find(target)
            if found is None:
                yield Claim(MOVES_WITHIN, moves, "search", {"spread": written(spread)})
                return
            yield Proposal(group.assignment(found), ALGORITHM)
            within = state.front.fewest_moves_within(spread)
            moves = moves - 1 if within is None else min(moves - 1, within.moves)
    except OutOfBudget:
        return
