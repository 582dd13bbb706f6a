"""The front of moves against lag spread, against all assignments and in itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.groups import LAG_KINDS, group_of, random_group, small_groups
from support.oracles import Assignments, most_even_flow

import equilag
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.policy.policy_settings import BALANCES
from equilag.planner.frontier import Point

LIMIT = 30.0


def is_a_front(points: list[Point]) -> None:
    """Moves ascending, spreads strictly descending, no bound above its spread."""
    assert points
    for one, next_one in pairwise(points):
        assert one.moves < next_one.moves
        assert one.spread > next_one.spread
        assert one.spread_lower_bound >= next_one.spread_lower_bound
    for point in points:
        assert 0 <= point.spread_lower_bound <= point.spread


def is_the_front(group: Group, balance: str) -> None:
    points = equilag.frontier(group, balance=balance, time_limit=LIMIT)
    truth = Assignments.all(group).balanced(balance).front()
    assert [(p.moves, p.spread) for p in points] == truth
    assert all(p.spread_lower_bound == p.spread for p in points)


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("kind", LAG_KINDS)
def test_as_brute_force_finds_it(kind: str, balance: str) -> None:
    for group in small_groups(seed=121, n=1, limit=500, kind=kind, owned=0.9):
        is_the_front(group, balance)


def larger_groups() -> Iterator[Group]:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        yield random_group(rng, topics=8, members=12, size=15, reads=(0.4, 1.0)[seed % 2])
    owners, lags = np.arange(240) % 7, np.arange(240) ** 2
    yield group_of([40] * 6, [list(range(6))] * 30, owners=owners, lags=lags)


@pytest.mark.parametrize("group", [*larger_groups()], ids=lambda group: str(group.n_partitions))
@pytest.mark.parametrize("time_limit", [0, 0.3])
def test_larger_groups_have_a_front_from_the_fewest_moves_on(
    group: Group, time_limit: float
) -> None:
    points = equilag.frontier(group, time_limit=time_limit)
    is_a_front(points)
    assert points[0].moves == most_even_flow(group).moves


@pytest.mark.parametrize("time_limit", [0, 1e-9, 0.01])
def test_hardly_any_time_is_enough_for_a_front(time_limit: float) -> None:
    for group in small_groups(seed=122, n=5):
        points = equilag.frontier(group, time_limit=time_limit)
        is_a_front(points)
        truth = Assignments.all(group).balanced("total")
        for point in points:
            reachable = truth.where(truth.moves <= point.moves)
            assert point.spread >= reachable.spread.min() >= point.spread_lower_bound
        assert points[0].moves == truth.moves.min()


def without_marks(points: list[Point]) -> list[Point]:
    return [replace(point, marks=()) for point in points]


# The same policy and limits as `solve` takes.


def test_a_limit_on_moves_cuts_the_front() -> None:
    for group in small_groups(seed=124, n=8, limit=300, owned=0.9):
        truth = Assignments.all(group).balanced("total").front()
        limit = truth[0][0] + 1
        points = equilag.frontier(group, max_moves=limit, time_limit=LIMIT)
        assert [(p.moves, p.spread) for p in points] == [t for t in truth if t[0] <= limit]
        assert all(p.spread_lower_bound == p.spread for p in points)
        if truth[0][0]:
            with pytest.raises(InputError, match="force"):
                equilag.frontier(group, max_moves=truth[0][0] - 1, time_limit=LIMIT)


def test_what_chooses_a_point_changes_nothing_on_the_front() -> None:
    group = group_of([6], [[0]] * 3, [0, 0, 0, 1, 1, -1], [13, 8, 5, 3, 2, 1])
    plain = without_marks(equilag.frontier(group, time_limit=LIMIT))
    chosen = equilag.frontier(group, move_cost=9, tolerance=50.0, time_limit=LIMIT)
    assert without_marks(chosen) == plain
    first = equilag.frontier(group, "fair-yet-sticky", time_limit=LIMIT)
    assert without_marks(first) == plain
    assert "plan" in first[0].marks


def test_a_policy_without_voluntary_moves_has_one_point() -> None:
    group = group_of([6], [[0]] * 3, [0, 0, 0, 1, 1, -1], [13, 8, 5, 3, 2, 1])
    (point,) = equilag.frontier(group, "sticky-yet-fair", time_limit=LIMIT)
    assert point.moves == 0
    assert point.spread == equilag.solve(group, "sticky-yet-fair", time_limit=LIMIT).lag.spread
    (fresh,) = equilag.frontier(group, fresh=True, time_limit=LIMIT)
    assert fresh.moves == 0
