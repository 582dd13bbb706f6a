"""The stages that search a whole small group: optima, with proofs that can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Final

from equilag.certificate.checks.search_checks import SEARCH_WORK, within_spread
from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import UNLIMITED, SearchTarget
from equilag.certificate.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.domain.budget import OutOfBudget
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load, MemberCapacities
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import most_moves
from equilag.domain.policy.objective import MOVES_WITHIN
from equilag.planner.solving.stage import Turn
from equilag.planner.solving.state import (
    Aim,
    Contribution,
    Proposal,
    Searched,
    SolveState,
    aim_of_search,
)

ALGORITHM: Final = "exhaustive-search"
QUICK_WORK: Final = 12_000_000
"""Array elements of the first search: about 0.1 s, enough for most groups of 5 x 30; and of each
number of moves in the first search over the front."""
DEEP_WORK: Final = SEARCH_WORK // 10
"""Array elements of the last one: a tenth of what whoever checks its claim may spend."""
MOST_EXTRA: Final = 10
"""Moves beyond the fewest up to which the front is searched in groups too large to be searched for
any number of moves; the work doubles with every other."""


def whole(state: SolveState, limit: int | None, cells: int | None = None) -> WholeGroup | None:
    """All that is free in the group as one small problem; None if it is too large."""
    return whole_problem(state.problem.group, state.problem.constraint, limit, cells)


def most_searched(state: SolveState) -> int:
    """The most moves that an exhaustive search of the group is worth its work for."""
    if whole(state, None) is not None:
        return most_moves(state.problem.group)
    return state.problem.fewest_moves + MOST_EXTRA


def exhaustive_search(
    state: SolveState,
    turn: Turn,
    work: int = DEEP_WORK,
    aim_of: Callable[[SolveState], Aim] = aim_of_search,
) -> Iterator[Contribution]:
    """Raise the bound from below and lower the plan from above until they meet.

    `work` is what it may cost, in array elements; `aim_of` what it is to prove.
    """
    aim = aim_of(state)
    searching = aim == aim_of_search(state)
    if (searching and state.searched >= work) or not unproved(state, aim):
        return
    group = whole(state, aim.limit)
    if group is None:
        return
    if searching:
        yield Searched(work)
    with turn.budget.part(work, turn.upto) as part, suppress(OutOfBudget):
        yield from close_gap(state, group, Search(group.problem, part), aim)


def keeping_up(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """A plan of a small group under which no member falls behind, if there is one."""
    problem, limit = state.problem, state.problem.objective.asked_limit
    shortage = problem.shortage
    if shortage is None or state.bounds.short or not state.incumbent.figures.short:
        return
    group = whole(state, limit)
    if group is None:
        return
    speeds = [Fraction(speed) for speed in shortage.capacity[group.members].tolist()]
    if not all(speeds):
        return
    rates = replace(
        group.problem,
        lag=shortage.rate[group.items],
        base=shortage.held(group.rest)[group.members],
        capacities=MemberCapacities.of(speeds),
    )
    target = SearchTarget(UNLIMITED, cap=int(max(speeds)), max_moves=limit)
    with turn.budget.part(QUICK_WORK, turn.upto) as part, suppress(OutOfBudget):
        found = Search(rates, part).find(target)
        if found is not None:
            yield Proposal(group.assignment(found), ALGORITHM)


def exhaustive_front(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The least spread for every number of moves, fewest first; in larger groups for the lowest."""
    if not state.problem.moves_trade or state.front_proved or state.goals_done:
        return
    most, limited = most_searched(state), turn.budget.share(turn.share)
    group = whole(state, most)
    if group is None:
        return
    for moves in _numbers_of_moves(state, most):
        if limited.expired():
            return
        with limited.part(QUICK_WORK, turn.upto) as part:
            try:
                yield from close_gap(state, group, Search(group.problem, part), Aim(moves))
            except OutOfBudget:
                return


def _numbers_of_moves(state: SolveState, most: int) -> Iterator[int | None]:
    """The numbers of moves to look at, until the least spread of all is reached. Prices of moves
    are too many to look at each: of them those below each point of the front, up to the next."""
    if state.problem.objective.unit is None:
        for moves in range(state.problem.fewest_moves, most + 1):
            if state.front.least_spread(moves) <= state.proofs.spread:
                return
            yield moves
        return
    while not state.front_proved:
        rows = state.front.points()
        ends = [*(row.moves - 1 for row in rows[1:]), None]
        pairs = zip(rows, ends, strict=True)
        yield next(end for row, end in pairs if state.bound_within(end) < row.spread)


def close_gap(
    state: SolveState, group: WholeGroup, search: Search, aim: Aim
) -> Iterator[Contribution]:
    """Search below the bound first: narrow targets are the cheap ones to rule out. With few moves,
    where no spread is small, below the best plan.

    What only a solver has closed is proved again.
    """
    if aim.limit is not None:
        yield from _lower(state, group, search, aim)
        return
    step = 0
    while unproved(state, aim):
        bound, reached = aim.bound(state), aim.reached(state)
        if reached is None:
            return
        value = min(bound + step + 1, reached)
        found = search.find(aim.target(state, value))
        if found is not None:
            yield Proposal(group.assignment(found), ALGORITHM)
            step = ((aim.reached(state) or 0) - bound) // 2
            continue
        yield aim.proved(value, "search")
        if value == reached:
            return
        step = max(1, step * 4)


def _lower(
    state: SolveState, group: WholeGroup, search: Search, aim: Aim
) -> Iterator[Contribution]:
    """Lower the plan until there is none below it."""
    if aim.reached(state) is None or not unproved(state, aim):
        return
    for found in search.improving(lambda: aim.target(state, aim.reached(state) or 0)):
        yield Proposal(group.assignment(found), ALGORITHM)
        if not unproved(state, aim):
            return
    yield aim.proved(aim.reached(state) or 0, "search")


def unproved(state: SolveState, aim: Aim) -> bool:
    """True if there is a gap left to close, or one that only a solver has closed."""
    if aim.open(state):
        return True
    claim = state.proofs.strongest(aim.claim, aim.limit)
    return claim is not None and claim.evidence == "solver"


def fewest_within_tolerance(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The fewest moves of all plans as even as the tolerance asks for.

    Not where a limit on moves binds, whose proof gets the time and work instead; what this finds is
    the same for every limit that does not.
    """
    problem, best, limit = state.problem, state.unlimited, state.limit
    if not problem.moves_trade or problem.objective.move_cost or not problem.mean:
        return
    if best.moves <= problem.fewest_moves or (limit is not None and limit < best.moves):
        return
    spread = max(problem.caps(state.front.candidates).value, best.spread)
    counted = problem.fewest_moves
    while counted < best.moves and problem.forced_spread(counted) > spread:
        counted += 1
    fewer = best.moves - 1
    group = whole(state, fewer) if fewer <= most_searched(state) else None
    if group is not None and not problem.group.extended.has_stakes:
        with turn.budget.part(DEEP_WORK // 5) as part, suppress(OutOfBudget):
            yield from _one_move_less(state, group, Search(group.problem, part), spread)
    if (state.proofs.value(MOVES_WITHIN) or 0) < counted and counted > problem.fewest_moves:
        yield Claim(MOVES_WITHIN, counted, "moves", {"spread": written(spread)})


def _one_move_less(
    state: SolveState, group: WholeGroup, search: Search, spread: Load
) -> Iterator[Contribution]:
    """Look for a plan as even with one move less, until there is none."""
    moves, proofs = state.unlimited.moves, state.proofs
    while moves > state.problem.fewest_moves:
        found = search.find(within_spread(spread, moves - 1, proofs.highest, proofs.lowest))
        if found is None:
            yield Claim(MOVES_WITHIN, moves, "search", {"spread": written(spread)})
            return
        yield Proposal(group.assignment(found), ALGORITHM)
        within = state.front.fewest_moves_within(spread)
        moves = moves - 1 if within is None else min(moves - 1, within.moves)
