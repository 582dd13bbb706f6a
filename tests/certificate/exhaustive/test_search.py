"""The exhaustive search finds a solution exactly where there is one, by capacity too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.constraints import constraint_for
from support.groups import group_of, problem_of, small_groups
from support.oracles import Assignments
from support.reduced_groups import capacity_cases
from support.small_problems import (
    extended_problem,
    is_met,
    loads_of,
    meets_limits,
    moves_of,
    random_problem,
    random_target,
    saved_by,
    solutions,
)

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import (
    MAX_ITEMS,
    MAX_ITEMS_MOVING,
    MAX_MEMBERS,
    MAX_MEMBERS_MOVING,
    ReadsAcross,
    SearchTarget,
    SmallProblem,
)
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.constraint import unconstrained
from equilag.domain.group.group import Group
from equilag.domain.plan.metrics import count_moves
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES

PLENTY = 10**9


@pytest.fixture(autouse=True)
def _by_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The patterns of tiny problems are listed by their moves, too."""
    monkeypatch.setattr("equilag.certificate.exhaustive.target_patterns.FEW_ITEMS", 0)


def decides_as_brute_force(
    group: Group, policy: Policy, max_moves: int | None, move_cost: int
) -> None:
    """Finds a plan at the best cost and none below it."""
    constraint = constraint_for(group, policy)
    whole = whole_problem(group, constraint)
    truth = Assignments.all(group, policy.name == "sticky-yet-fair").balanced(policy.balance)
    if whole is None:
        assert not truth.active
        return
    if max_moves is not None:
        truth = truth.where(truth.moves <= max_moves)
    search = Search(whole.problem, Budget(PLENTY))
    if not len(truth):
        assert search.find(SearchTarget(10**15, max_moves=max_moves, move_cost=move_cost)) is None
        return
    cost = truth.spread + move_cost * truth.moves
    best = int(cost.min())
    found = search.find(SearchTarget(best, max_moves=max_moves, move_cost=move_cost))
    assert found is not None
    assert whole.assignment(found) in truth.where(cost == best)
    assert search.find(SearchTarget(best - 1, max_moves=max_moves, move_cost=move_cost)) is None


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
def test_decides_as_brute_force(name: str, balance: str) -> None:
    rng = np.random.default_rng(71)
    for group in small_groups(seed=71, n=12):
        for max_moves in (None, int(rng.integers(0, 4))):
            for move_cost in (0, int(rng.integers(1, 100))):
                decides_as_brute_force(group, Policy(name, balance), max_moves, move_cost)


def test_a_group_as_large_as_lags_allow_is_decided_the_same_at_any_scale() -> None:
    rng = np.random.default_rng(77)
    small = rng.integers(1, 1000, 14)
    for unit in (1, 2**45):
        problem = problem_of((small * unit).tolist(), 7, 2, 2, base=np.arange(7) * 100 * unit)
        search = Search(problem, Budget(PLENTY))
        reached = [s for s in range(0, 900, 50) if search.find(SearchTarget(s * unit)) is not None]
        if unit == 1:
            expected = reached
    assert reached == expected
    assert 0 < len(reached) < 18


def test_no_items_at_all() -> None:
    problem = problem_of([], 2, 0, 0, base=np.array([5, 9]))
    search = Search(problem, Budget(PLENTY))
    assert search.find(SearchTarget(4)) is not None
    assert search.find(SearchTarget(3)) is None
    assert search.find(SearchTarget(4, floor=6)) is None
    assert search.find(SearchTarget(4, cap=8)) is None
    assert (
        Search(replace(problem, lo=np.array([1, 0])), Budget(PLENTY)).find(SearchTarget(9)) is None
    )


def test_whole_problem_refuses_large_groups_unless_cells_are_given() -> None:
    group = group_of([MAX_ITEMS + 1], [[0]] * 2)
    constraint = constraint_for(group, Policy())
    assert whole_problem(group, constraint) is None
    assert whole_problem(group, constraint, cells=10**6) is not None


def test_owned_partitions_are_no_items_if_no_moves_are_allowed() -> None:
    group = group_of([MAX_ITEMS + 2], [[0]] * 2, owners=[0, 1] * (MAX_ITEMS // 2), lags=None)
    constraint = constraint_for(group, Policy())
    whole = whole_problem(group, constraint, max_moves=0)
    assert whole.items.tolist() == [MAX_ITEMS, MAX_ITEMS + 1]
    assert whole.rest[:2].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("items", "members", "most"),
    [
        (MAX_ITEMS + 1, 2, None),
        (4, MAX_MEMBERS + 1, None),
        (MAX_ITEMS_MOVING + 1, 2, 1),
        (4, MAX_MEMBERS_MOVING + 1, 1),
        (0, 0, None),
    ],
)
def test_large_problems_are_refused(items: int, members: int, most: int | None) -> None:
    problem = problem_of([1] * items, members, 0, items)
    problem = replace(problem, saved=saved_by(np.zeros(items, np.int64), len(problem.base)))
    with pytest.raises(OutOfBudget):
        Search(problem, Budget(PLENTY)).find(SearchTarget(9, max_moves=most))


@pytest.mark.parametrize(
    ("work", "seconds"), [(0, np.inf), (2_000, np.inf), (60_000, np.inf), (PLENTY, 0.0)]
)
def test_out_of_budget_raises_and_says_if_the_clock_was_the_reason(
    work: int, seconds: float
) -> None:
    lag = np.random.default_rng(74).integers(1, 10**9, 36).tolist()
    budget = Budget(work, seconds)
    with pytest.raises(OutOfBudget):
        Search(problem_of(lag, 6, 6, 6), budget).find(SearchTarget(999))
    assert budget.cut is (seconds == 0)


def test_finds_a_solution_exactly_where_there_is_one() -> None:
    rng = np.random.default_rng(9)
    answers = set()
    for number in range(100):
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
        moves = moves_of(problem, found)
        assert meets_limits(problem, found)
        assert is_met(target, loads.max(), loads.min(), moves)
        assert target.max_moves is None or moves <= target.max_moves
    assert answers == {True, False}


def least_spread(problem: SmallProblem, search: Search, most: int) -> int:
    """That of the last of ever better plans with at most so many moves."""
    spreads = [10**9]
    for found in search.improving(lambda: SearchTarget(spreads[-1] - 1, max_moves=most)):
        assert moves_of(problem, found) <= most
        spread = int(np.ptp(loads_of(problem, found)))
        assert spread < spreads[-1]
        spreads.append(spread)
    return spreads[-1]


@pytest.mark.parametrize(
    "settings",
    [
        {"item_masks.WORD": 2, "search.FIRST_BATCH": 1, "search.MAX_BATCH": 1},
        {"crossing.CROSS": 3, "crossing.SPLIT": 0},
        {"target_patterns.MAX_LISTED": 2},
        {"target_patterns.MAX_LEVELS": 0},
        {"patterns.MAX_SUBSETS": 3},
    ],
    ids=[
        "words and batches",
        "parts",
        "joins",
        "levels",
        "long lists",
    ],
)
def test_few_moves_are_decided_as_by_brute_force(
    settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setattr(f"equilag.certificate.exhaustive.{name}", value)
    rng, decided = np.random.default_rng(31), 0
    for number in range(12):
        members = 2 + number % 3
        problem = random_problem(rng, members, items=8 - members)
        size = len(problem.lag)
        if number % 2:
            even = np.full(members, size // members), np.full(members, -(-size // members))
            problem = replace(problem, lo=even[0], hi=even[1], allowed=problem.allowed | True)
        if number % 3:
            heavy = 1000 // rng.permutation(np.arange(1, size + 1))
            problem = replace(
                problem, saved=saved_by(rng.integers(0, members, size), members), lag=heavy
            )
        everything = list(solutions(problem, SearchTarget(10**9)))
        for most in range(4):
            within = [
                np.ptp(loads_of(problem, x)) for x in everything if moves_of(problem, x) <= most
            ]
            best = min(within, default=10**6)
            try:
                search = Search(problem, Budget(PLENTY))
                reached = least_spread(problem, search, most)
                found = search.find(SearchTarget(best, max_moves=most))
                below = search.find(SearchTarget(best, floor=-1, max_moves=most, strict=True))
            except OutOfBudget:
                continue
            decided += 1
            assert (found is not None) == bool(within)
            assert not within or reached == best
            assert below is None
            if found is not None:
                assert np.ptp(loads_of(problem, found)) == best
                assert moves_of(problem, found) <= most
                assert meets_limits(problem, found)
    assert decided == 48 or "patterns.MAX_SUBSETS" in settings
    assert decided


def test_few_moves_in_a_group_too_large_for_any_number_of_moves() -> None:
    lags = np.random.default_rng(5).integers(0, 1000, 70)
    group = group_of([70], [[0]] * 7, [n % 7 for n in range(70)], lags)
    whole = whole_problem(group, constraint_for(group, Policy(balance="total")), 2)
    reached = least_spread(whole.problem, Search(whole.problem, Budget(PLENTY)), 2)
    # Two moves are one exchange of two partitions, as the counts are even.
    best = 10**6
    for one in range(70):
        for other in range(one):
            after = np.bincount(group.owner, weights=lags).astype(np.int64)
            np.add.at(after, group.owner[[other, one]], lags[[one, other]])
            np.subtract.at(after, group.owner[[one, other]], lags[[one, other]])
            best = min(best, int(np.ptp(after)))
    assert reached == best


@pytest.mark.parametrize(
    ("heavy", "spread", "work"), [(False, 400_000, 20_000_000), (True, 42_000, 180_000_000)]
)
def test_six_moves_among_eight_members_are_ruled_out_with_little_work(
    heavy: bool, spread: int, work: int
) -> None:
    rng, owner = np.random.default_rng(5), np.arange(64) % 8
    lags = np.exp(rng.normal(7, 1.6, 64)) if heavy else rng.integers(1, 10**6, 64)
    owned = (owner[:, None] == np.arange(8)).astype(np.int64)
    problem = problem_of(lags.astype(np.int64).tolist(), 8, 8, 8, saved=owned)
    assert Search(problem, Budget(work)).find(SearchTarget(spread, max_moves=6)) is None


def test_a_limit_on_reads_is_left_to_others() -> None:
    problem = extended_problem(np.random.default_rng(1), 2)
    limited = replace(problem, reads=ReadsAcross(np.ones(problem.allowed.shape, np.int64), 1))
    with pytest.raises(OutOfBudget):
        Search(limited, Budget(PLENTY))


def test_a_whole_group_counts_moves_as_the_group_does() -> None:
    seen = 0
    for group, _, assigned in capacity_cases(seed=11, n=16, stakes=True):
        # A member without room takes nothing, so what it holds moves.
        room = group.extended.room.copy()
        room[group.extended.stakes.member[:1]] = 0
        idle = replace(group, reduced=group.extended._replace(room=room))
        whole = whole_problem(idle, unconstrained(idle))
        if whole is None or not np.isin(assigned[whole.items], whole.members).all():
            continue
        seen += 1
        found = whole.columns(assigned)
        assert moves_of(whole.problem, found) == count_moves(idle, whole.assignment(found))
    assert seen
