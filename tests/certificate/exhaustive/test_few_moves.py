"""The search for few moves finds a solution exactly where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.constraints import constraint_for
from support.groups import group_of
from support.small_problems import loads_of, meets_limits, random_problem, solutions

from equilag.certificate.exhaustive.few_moves.move_problem import (
    MAX_ITEMS_MOVING,
    MAX_MEMBERS_MOVING,
    MOVE_CELLS,
    WORD,
    MoveProblem,
)
from equilag.certificate.exhaustive.few_moves.move_search import MoveSearch
from equilag.certificate.exhaustive.few_moves.moved_sets import ListedSets
from equilag.certificate.exhaustive.small_problem import (
    OUTSIDE,
    UNLIMITED,
    SearchTarget,
    SmallProblem,
)
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.group import NOBODY, Ints
from equilag.domain.group.member_capacities import MemberCapacities
from equilag.domain.policy.policy import Policy

PLENTY = 10**9
FEW_MOVES = "equilag.certificate.exhaustive.few_moves"


def problems(seed: int, n: int) -> Iterator[SmallProblem]:
    """Even and loose counts, all and some members allowed, with and without owners; some lags far
    apart, some alike."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        members = 2 + number % 3
        problem = random_problem(rng, members, items=9 - members)
        size = len(problem.lag)
        if number % 2:
            even = np.full(members, size // members), np.full(members, -(-size // members))
            problem = replace(problem, lo=even[0], hi=even[1], allowed=problem.allowed | True)
        if number % 3:
            problem = replace(problem, owner=rng.integers(0, members, size))
        lag = [
            problem.lag,
            rng.integers(0, 4, size),
            1000 // rng.permutation(np.arange(1, size + 1)),
        ]
        yield replace(problem, lag=lag[number % 5 % 3])


CAPACITIES = (
    ("1", "2", "3", "4"), ("1", "1", "4", "4"), ("0.1", "2.35", "3", "1"),
    ("1.00000000001", "1", "2.00000000003", "3.00000000007"),  # scaled loads are rounded
)  # fmt: skip


def problems_by_capacity(seed: int, n: int) -> Iterator[SmallProblem]:
    """The same of members that differ in capacity, and now and then with forced moves."""
    for number, problem in enumerate(problems(seed, n)):
        members = len(problem.base)
        given = [Fraction(one) for one in CAPACITIES[number % len(CAPACITIES)][:members]]
        lag = problem.lag * 10**6 if number % 4 == 3 and number % 8 > 3 else problem.lag
        forced = 2 if number % 5 == 0 else 0
        capacities = MemberCapacities.of(given)
        yield replace(problem, lag=lag, capacities=capacities, forced_moves=forced)


def figures(problem: SmallProblem, rows: Ints) -> tuple[npt.NDArray[Any], Ints]:
    """Spread and moves of each row [n, I]."""
    loads = np.array([loads_of(problem, row) for row in rows])
    moves = ((problem.owner != NOBODY) & (rows != problem.owner)).sum(axis=1)
    return loads.max(axis=1) - loads.min(axis=1), moves + problem.forced_moves


def decides_as_brute_force(problem: SmallProblem, work: int = PLENTY) -> None:
    rows = np.array(list(solutions(problem, SearchTarget(UNLIMITED))), dtype=np.int64)
    search = MoveSearch(problem, Budget(work))
    if not len(rows):
        assert search.find(SearchTarget(10**6, cap=10**6, max_moves=4)) is None
        return
    loads = np.array([loads_of(problem, row) for row in rows])
    highest, lowest = loads.max(axis=1).min(), loads.min(axis=1).max()
    spread, moves = figures(problem, rows)
    for most in range(5):
        within = spread[moves <= most]
        best = within.min() if len(within) else 10**6
        for strict in (False, True):
            if strict and not best:
                continue
            target = SearchTarget(best, highest - best, lowest + best, most, strict=strict)
            found = search.find(target)
            assert (found is not None) == (len(within) > 0 and not strict)
            if found is not None:
                reached, taken = figures(problem, found[None, :])
                assert reached[0] <= best
                assert taken[0] <= most
                assert meets_limits(problem, found)


@pytest.mark.parametrize(
    ("number", "settings"),
    [
        (24, {}),
        (8, {"move_search.SLICE_WORK": 20_000}),
        (12, {"moved_sets.WHOLE_SETS": 1}),
        (8, {"move_problem.WORD": 7, "move_search.BATCH": 1, "move_search.CROSS": 5}),
    ],
    ids=["as it is", "ranges that are cut", "two halves", "several words and batches"],
)
def test_decides_as_brute_force(
    number: int, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setattr(f"{FEW_MOVES}.{name}", value)
    for problem in problems(seed=31, n=number):
        decides_as_brute_force(problem)


def test_decides_as_brute_force_by_capacity() -> None:
    rounded = 0
    for problem in problems_by_capacity(seed=12, n=20):
        decides_as_brute_force(problem)
        rounded += MoveProblem.of(problem).scaled.slack > 0
    assert rounded > 1


def test_lists_that_are_too_long_leave_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("moved_sets", "move_target"):
        monkeypatch.setattr(f"{FEW_MOVES}.{module}.MAX_SETS", 6)
    decided = 0
    for problem in problems(seed=37, n=8):
        try:
            decides_as_brute_force(problem)
        except OutOfBudget:
            continue
        decided += 1
    assert 0 < decided < 20


def test_what_is_left_to_who_loses_nearly_all_is_listed_at_once() -> None:
    items = 40
    problem = SmallProblem(
        lag=np.arange(1, items + 1), allowed=np.ones((items, 2), np.bool_), base=np.zeros(2, int),
        lo=np.zeros(2, int), hi=np.full(2, items), owner=np.zeros(items, int),
    )  # fmt: skip
    sets = ListedSets(MoveProblem.of(problem))
    kept, load = sets.kept(0, 0, items - 2, Budget(10**6))
    assert sorted(load.tolist()) == sorted(map(sum, combinations(problem.lag.tolist(), 2)))
    assert len(np.unique(kept)) == len(load)


def test_a_move_cost_lowers_the_spread_that_is_allowed() -> None:
    for problem in problems(seed=34, n=8):
        rows = np.array(list(solutions(problem, SearchTarget(UNLIMITED))), dtype=np.int64)
        if not len(rows):
            continue
        spread, moves = figures(problem, rows)
        best = int((spread + 7 * moves).min())
        search = MoveSearch(problem, Budget(PLENTY))
        found = search.find(SearchTarget(best, move_cost=7))
        reached, taken = figures(problem, found[None, :])
        assert reached[0] + 7 * taken[0] <= best
        assert search.find(SearchTarget(best - 1, move_cost=7)) is None


def test_a_group_beyond_the_other_search() -> None:
    rng = np.random.default_rng(5)
    lags = rng.integers(0, 1000, 70)
    group = group_of([70], [[0]] * 7, [n % 7 for n in range(70)], lags)
    policy = Policy(balance="total")
    whole = whole_problem(group, constraint_for(group, policy), 2, MOVE_CELLS)
    search = MoveSearch(whole.problem, Budget(PLENTY))
    spread = int(group.lag.sum())
    while (found := search.find(SearchTarget(spread - 1, max_moves=2))) is not None:
        reached, moves = figures(whole.problem, found[None, :])
        assert reached[0] < spread
        assert moves[0] <= 2
        spread = int(reached[0])
    # Two moves are one exchange of two partitions, as the counts are even.
    best = spread
    loads = np.bincount(group.owner, weights=group.lag).astype(np.int64)
    for one in range(70):
        for other in range(one):
            after = loads.copy()
            net = group.lag[one] - group.lag[other]
            after[group.owner[one]] -= net
            after[group.owner[other]] += net
            best = min(best, int(after.max() - after.min()))
    assert spread == best


def test_what_is_too_large_is_out_of_budget() -> None:
    problem = next(problems(seed=36, n=1))
    wide = replace(problem, lag=np.ones(MAX_ITEMS_MOVING + 1, np.int64))
    many = replace(problem, base=np.zeros(MAX_MEMBERS_MOVING + 1, np.int64))
    heavy = replace(problem, base=np.full_like(problem.base, 2**60))
    outside = replace(problem, owner=np.full_like(problem.owner, OUTSIDE))
    by_topic = random_problem(np.random.default_rng(1), topics=True)
    for each in (wide, many, heavy, outside, by_topic):
        with pytest.raises(OutOfBudget):
            MoveProblem.of(each)
    one_owner = group_of([WORD + 1], [[0]], [0] * (WORD + 1), [1] * (WORD + 1))
    whole = whole_problem(one_owner, constraint_for(one_owner, Policy()), 2, MOVE_CELLS)
    with pytest.raises(OutOfBudget):
        MoveSearch(whole.problem, Budget(PLENTY))
    with pytest.raises(OutOfBudget):
        MoveSearch(problem, Budget(100)).find(SearchTarget(10**6, max_moves=3))
