"""`frontier`: all trade-offs between moves and lag spread under the count constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from equilag.certificate.search_checks import SEARCH_WORK, search_target
from equilag.deadline import Deadline
from equilag.exhaustive.patterns import Budget, OutOfBudget
from equilag.exhaustive.search import Search
from equilag.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.group import NOBODY, Group
from equilag.planner.descent import (
    FewerMoves,
    Neighbourhoods,
    Sweeps,
    Trade,
)
from equilag.planner.exact import DEEP, FIRST_CALL, MODEL_SIZE, SmallSearch
from equilag.planner.progress import Watcher
from equilag.planner.run import run
from equilag.planner.solve import check_seed, seconds
from equilag.planner.stages import (
    Bounds,
    Counts,
    Heuristic,
    Moves,
    Stage,
)
from equilag.planner.work import Work
from equilag.policy import Policy
from equilag.solver.local_search.large_neighbourhood import improve
from equilag.solver.local_search.pairwise_swaps import sweep
from equilag.solver.lower_bounds.move_limited import spread_bounds

FIRST: Final[tuple[Stage, ...]] = (
    Heuristic(),
    Counts(),
    Moves(),
    Bounds(),
    Trade(),
    SmallSearch("search", DEEP),
    Sweeps(),
    Neighbourhoods(),
    FewerMoves(),
)
EACH: Final = 2.0
"""CP-SAT's deterministic time for one point."""
POLISHED: Final = 40
"""Points of a large group's front that are worth another look at the same number of moves."""


@dataclass(frozen=True, slots=True)
class Point:
    """A plan with this many moves reaches `spread`; none with as many gets below the bound."""

    moves: int
    spread: int
    spread_lower_bound: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "moves": self.moves,
            "spread": self.spread,
            "spread_lower_bound": self.spread_lower_bound,
        }


def frontier(
    group: Group,
    *,
    time_limit: float = 5.0,
    seed: int = 0,
    balance: str | None = None,
    progress: Watcher | None = None,
) -> list[Point]:
    """The front of moves against lag spread: moves ascending, spread strictly descending.

    Exact where every `spread_lower_bound` equals its spread: small groups within the time limit
    (seconds). Raises InputError for settings that make no sense.
    """
    deadline = Deadline(seconds(time_limit))
    policy = Policy.of(balance=balance)
    check_seed(seed)
    rng = np.random.default_rng(seed)
    work = Work(group, group, policy, deadline, rng, seed, watcher=progress)
    work.deadline.limit *= 0.5 if group.n_partitions > 40 else 1.0
    run(work, FIRST)
    work.deadline.limit = seconds(time_limit)
    if not work.exact or work.constraint is None:
        work.deadline.limit = float("inf")  # no time at all: the two exact ends, at least
        run(work, (Counts(), Moves(), Bounds()))
        return _points(work, {})
    work.tell("front")
    bounds = _search_front(work)
    if bounds is None:
        _polish(work)
        bounds = _model_front(work)
    return _points(work, bounds)


def _search_front(work: Work) -> dict[int, int] | None:
    """Least spread for every number of moves, by search; None if the group is too large.

    Returns the proved bound for each number of moves looked at.
    """
    assert work.constraint is not None
    whole = whole_problem(work.group, work.constraint)
    if whole is None or not len(whole.items):
        return None
    bounds: dict[int, int] = {}
    budget = Budget(SEARCH_WORK, work.deadline.expired)
    try:
        search = Search(whole.problem, budget)
        moves = work.moves_bound
        while True:
            bounds[moves] = work.spread_bound
            reached = _least_spread(work, whole, search, moves, bounds)
            work.report()
            if reached <= work.spread_bound or moves >= len(whole.items):
                return bounds
            moves += 1
    except OutOfBudget:
        return bounds


def _least_spread(
    work: Work, whole: WholeGroup, search: Search, moves: int, bounds: dict[int, int]
) -> int:
    high = work.bound_of("max_load_at_least") or 0
    low = work.bound_of("min_load_at_most") or 0
    step = 0
    while True:
        reached = min((c.spread for m, c in work.front.items() if m <= moves), default=2**62)
        bound = bounds[moves]
        if reached <= bound:
            return reached
        goal = min(bound + step, reached - 1)
        found = search.find(search_target(goal + 1, moves, 0, high, low))
        if found is None:
            bounds[moves] = goal + 1
            step = max(1, step * 4)
        else:
            reached = work.see(whole.assignment(found), "search").spread
            step = (reached - bound) // 2


def _polish(work: Work) -> None:
    """Lower the spread of the points on the front without another move."""
    constraint = work.constraint
    assert constraint is not None
    points = work.points()
    chosen = np.unique(np.linspace(0, len(points) - 1, min(POLISHED, len(points))).astype(int))
    for number in chosen.tolist():
        if work.deadline.expired():
            return
        point, rng = points[number], np.random.default_rng(work.seed)
        stop = work.deadline.share(work.deadline.left / POLISHED).expired
        better = sweep(
            work.group, constraint, point.assigned, rng, stop, enough=work.spread_bound,
            keep_moves=True,
        )  # fmt: skip
        better = improve(
            work.group, constraint, better, rng, stop, work.spread_bound, keep_moves=True, rounds=60
        )
        work.see(better, "front")
        work.report()


def _model_front(work: Work) -> dict[int, int]:
    """Each point of the front by CP-SAT, where the group is small enough for a model.

    Returns the solver's bound for each number of moves.
    """
    assert work.constraint is not None
    bounds: dict[int, int] = {}
    whole = whole_problem(work.group, work.constraint, cells=MODEL_SIZE)
    if whole is None or not len(whole.items):
        return bounds
    if work.deadline.left < FIRST_CALL:
        return bounds
    column = np.full(work.group.n_members, NOBODY, dtype=np.int64)
    column[whole.members] = np.arange(len(whole.members))
    points = work.points()
    from equilag.solver.cpsat.model import Limits, solve_model

    for number, point in enumerate(points):
        if work.deadline.expired():
            break
        limits = Limits(work.deadline.left / (len(points) - number), EACH, work.seed)
        hint = column[point.assigned[whole.items]]
        answer = solve_model(whole.problem, limits, hint, point.moves)
        bounds[point.moves] = answer.bound
        if answer.assigned is not None:
            work.see(whole.assignment(answer.assigned), "cp-sat")
        work.report()
    return bounds


def _points(work: Work, bounds: dict[int, int]) -> list[Point]:
    assert work.constraint is not None
    front, points = work.points(), []
    most = max((candidate.moves for candidate in front), default=0)
    forced = spread_bounds(work.group, work.constraint, most)
    for candidate in front:
        searched = bounds.get(candidate.moves, 0)
        bound = max(work.spread_bound, searched, int(forced[candidate.moves]))
        points.append(Point(candidate.moves, candidate.spread, min(bound, candidate.spread)))
    return points
