"""The exhaustive search with capacities, instances and forced moves, against all assignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.capacities import capacity_cases
from support.small_problems import (
    extended_problem,
    is_met,
    loads_of,
    meets_limits,
    random_target,
    solutions,
)

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import ReadsAcross, SearchTarget
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.constraint import unconstrained
from equilag.domain.plan.metrics import count_moves

PLENTY = 10**9


def test_finds_a_solution_exactly_where_there_is_one() -> None:
    rng = np.random.default_rng(9)
    answers = set()
    for number in range(160):
        problem, target = extended_problem(rng, number), random_target(rng)
        strict = number % 4 > 1
        target = replace(target, spread=target.spread * 2, cap=target.cap * 3, strict=strict)
        found = Search(problem, Budget(PLENTY)).find(target)
        any_solution = next(solutions(problem, target), None)
        answers.add(found is None)
        assert (found is None) == (any_solution is None)
        if found is None:
            continue
        loads = loads_of(problem, found)
        moves = problem.moves(found)
        assert meets_limits(problem, found)
        assert is_met(target, loads.max(), loads.min(), moves)
        assert target.max_moves is None or moves <= target.max_moves
    assert answers == {True, False}


def test_the_least_spread_is_found_and_nothing_below_it() -> None:
    rng = np.random.default_rng(10)
    for number in range(24):
        problem = extended_problem(rng, number)
        everything = list(solutions(problem, SearchTarget(10**9)))
        if not everything:
            continue
        best = min(np.ptp(loads_of(problem, found)) for found in everything)
        search = Search(problem, Budget(PLENTY))
        found = search.find(SearchTarget(best))
        assert found is not None
        assert np.ptp(loads_of(problem, found)) == best
        assert search.find(SearchTarget(best, floor=-1, strict=True)) is None


def test_a_limit_on_reads_is_left_to_others() -> None:
    problem = extended_problem(np.random.default_rng(1), 2)
    limited = replace(problem, reads=ReadsAcross(np.ones(problem.allowed.shape, np.int64), 1))
    with pytest.raises(OutOfBudget):
        Search(limited, Budget(PLENTY))


def test_a_whole_group_counts_moves_as_the_group_does() -> None:
    seen = 0
    for group, _, assigned in capacity_cases(seed=11, n=16, stakes=True):
        assert group.extended is not None
        assert group.extended.stakes is not None
        # A member without room takes nothing, so what it holds moves.
        room = group.extended.room.copy()
        room[group.extended.stakes.member[:1]] = 0
        idle = replace(group, extended=group.extended._replace(room=room))
        whole = whole_problem(idle, unconstrained(idle))
        if whole is None or not np.isin(assigned[whole.items], whole.members).all():
            continue
        seen += 1
        found = whole.columns(assigned)
        assert whole.problem.moves(found) == count_moves(idle, whole.assignment(found))
    assert seen
