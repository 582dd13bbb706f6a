"""The exhaustive search where members differ in capacity, against all assignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.small_problems import loads_of, meets_limits, random_problem, random_target, solutions

from equilag.budget import Budget
from equilag.exhaustive.search import Search
from equilag.exhaustive.small_problem import SmallProblem
from equilag.exhaustive.target import SearchTarget
from equilag.group import NOBODY

PLENTY = 10**9


def uneven_problem(rng: np.random.Generator, number: int) -> SmallProblem:
    """Of 2 to 4 members with factors of capacities from 1 to 4; now and then forced moves."""
    members = 2 + number % 3
    problem = random_problem(rng, members, items=7 - members, topics=number % 5 == 0)
    capacity = rng.integers(1, 5, members)
    forced = int(rng.integers(0, 3)) if number % 3 == 0 else 0
    return replace(problem, factor=12 // capacity, forced_moves=forced)


def test_finds_a_solution_exactly_where_there_is_one() -> None:
    rng = np.random.default_rng(9)
    answers = set()
    for number in range(400):
        problem, target = uneven_problem(rng, number), random_target(rng)
        target = replace(target, spread=target.spread * 6, cap=target.cap * 8)
        found = Search(problem, Budget(PLENTY)).find(target)
        any_solution = next(solutions(problem, target), None)
        answers.add(found is None)
        assert (found is None) == (any_solution is None)
        if found is None:
            continue
        loads = loads_of(problem, found)
        moves = int(((problem.owner != NOBODY) & (problem.owner != found)).sum())
        moves += problem.forced_moves
        assert meets_limits(problem, found)
        assert loads.max() - loads.min() + target.move_cost * moves <= target.spread
        assert loads.min() >= target.floor
        assert loads.max() <= target.cap
        assert target.max_moves is None or moves <= target.max_moves
    assert answers == {True, False}


def test_the_least_spread_is_found_and_nothing_below_it() -> None:
    rng = np.random.default_rng(10)
    for number in range(60):
        problem = uneven_problem(rng, number)
        everything = list(solutions(problem, SearchTarget(10**9)))
        if not everything:
            continue
        best = min(int(np.ptp(loads_of(problem, found))) for found in everything)
        search = Search(problem, Budget(PLENTY))
        found = search.find(SearchTarget(best))
        assert found is not None
        assert int(np.ptp(loads_of(problem, found))) == best
        assert search.find(SearchTarget(best - 1)) is None
