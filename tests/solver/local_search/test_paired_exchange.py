"""Rows of one length, exchanged in bulk: inside the constraint, never worse, close to the bound."""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.constraints import balanced_assignment
from support.groups import group_of
from support.local_search import never, spread_of

from equilag.certificate.bounds.counting import Counting
from equilag.domain.budget import limit_steps
from equilag.domain.constraint import CountConstraint, constraint_of
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.paired_exchange import PATIENCE, crowd, exchange_in_pairs
from equilag.solver.lower_bounds.load_bounds import load_bounds

TOTAL = Policy()


def start(group: Group, rng: np.random.Generator | None = None) -> tuple[CountConstraint, Index]:
    """The constraint, and an assignment that meets it, with who holds what left to chance."""
    assigned = balanced_assignment(group, TOTAL)
    constraint = constraint_of(group, TOTAL, assigned)
    if rng is not None:
        free = np.flatnonzero(group.assignable)
        assigned[free] = rng.permutation(assigned[free])
    return constraint, assigned


def test_long_rows_are_exchanged_too() -> None:
    """Too long for the whole table of exchanges: a part of either row is drawn."""
    rng = np.random.default_rng(73)
    group = group_of([80_003], [[0]] * 40, lags=rng.integers(1, 1000, 80_003))
    constraint, assigned = start(group, rng)
    found = exchange_in_pairs(group, assigned, rng, limit_steps(2, never))
    assert constraint.admits(found)
    assert spread_of(group, found) < spread_of(group, assigned)


@pytest.mark.parametrize(
    ("group", "name", "alike"),
    [
        (group_of([5], [[0]] * 3), "lag-aware", True),
        (group_of([5, 1], [[0]] * 3), "lag-aware", True),
        (group_of([5], [[0]] * 3, [0, 0, 0, 0, -1]), "fair-yet-sticky", True),
        (group_of([5], [[0]] * 3, [0, -1, -1, -1, -1]), "sticky-yet-fair", False),
        (group_of([5], [[0]] * 3), "kip-169", False),
        (group_of([5], [[0]]), "lag-aware", False),
        (group_of([5, 5], [[0], [1]]), "lag-aware", False),
        (group_of([5], [[0], [0], []]), "lag-aware", False),
        (group_of([5], [[], []]), "lag-aware", False),
    ],
)
def test_rows_are_for_groups_whose_members_are_alike(group: Group, name: str, alike: bool) -> None:
    policy = Policy(name)
    constraint = constraint_of(group, policy, balanced_assignment(group, policy))
    assert constraint.all_alike is alike
    if constraint.per_topic or constraint.has_pinned:
        assert constraint.alike_members() == []


# Heavy partitions.


def crowd_of(lag: list[int], members: int, width: int, n_empty: int) -> int:
    """The plain way: for every number of heavy ones, what the others have to share."""
    best, least = 0, None
    for n in range(min(members, len(lag) + 1)):
        heavy = lag[len(lag) - n :]
        room = n * (width - 1) - min(n, n_empty)
        beside = lag[: min(max(0, room), len(lag) - n)]
        left = Fraction(sum(lag) - sum(heavy) - sum(beside), members - n)
        if least is None or left < least:
            best, least = n, left
    return best


@given(
    st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**6)), min_size=1, max_size=30),
    st.integers(1, 12),
)
def test_crowd_is_the_number_that_leaves_the_least(lags: list[int], members: int) -> None:
    width = -(-len(lags) // members)
    shape = members, width, width * members - len(lags)
    lag = sorted(lags)
    assert crowd(np.array(lag, np.int64), *shape) == crowd_of(lag, *shape)


@pytest.mark.parametrize(
    ("group", "spread"),
    [
        # The heaviest holds the two lightest, the next one the two after them.
        (group_of([12], [[0]] * 4, lags=[1000, 999, 1, 2, 30, 40, *[100] * 6]), 769),
        (group_of([3], [[0]] * 5, lags=[5, 4, 3]), 5),
        (group_of([4], [[0]] * 2, lags=[100, 2, 5, 1]), 94),
        (group_of([10], [[0]] * 3, [0, 0, 0, 0, 1, 1, 1, 2, 2, 2],
                  [7, 8, 9, 10, 20, 20, 20, 0, 1, 1]), 5),
        (group_of([6, 9, 6], [[0, 2]] * 3, lags=[4] * 21), 0),
    ],
    ids=["two heavy", "few partitions", "all but one heavy", "no lag", "an unread topic"],
)  # fmt: skip
def test_odd_groups(group: Group, spread: int) -> None:
    constraint, assigned = start(group)
    for begin in (assigned, group.owner) if (group.owner >= 0).all() else (assigned,):
        for rounds in (1, 99):
            found = exchange_in_pairs(
                group, begin, np.random.default_rng(0), limit_steps(rounds, never)
            )
            assert is_valid(group, found)
            assert constraint.admits(found)
        assert spread_of(group, found) <= spread


def test_stops_at_once_where_the_spread_is_enough_or_it_is_told_to() -> None:
    rng = np.random.default_rng(81)
    group = group_of([160], [[0]] * 16, lags=rng.integers(1, 10_000, 160))
    _, assigned = start(group, rng)

    def asked() -> bool:
        raise AssertionError("one round too many")

    enough = spread_of(group, assigned)
    found = exchange_in_pairs(group, assigned, rng, asked, enough=enough)
    assert np.array_equal(found, assigned)
    assert np.array_equal(exchange_in_pairs(group, assigned, rng, lambda: True), assigned)


def test_ends_by_itself_where_nothing_gets_better() -> None:
    group = group_of([9], [[0]] * 5, lags=[3] * 9)
    _, assigned = start(group)
    asked = count()
    found = exchange_in_pairs(group, assigned, np.random.default_rng(0), lambda: next(asked) < 0)
    assert spread_of(group, found) == spread_of(group, assigned) == 3
    assert next(asked) == 3 * PATIENCE


@pytest.mark.parametrize("seed", [0, 1, 3, 4])
@pytest.mark.parametrize(("partitions", "sigma"), [(600, 1.0), (600, 2.0), (625, 1.5)])
def test_groups_of_some_size_get_close_to_the_bound(
    partitions: int, sigma: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    lags = np.floor(np.exp(rng.normal(8, sigma, partitions))).astype(np.int64) + 1
    group = group_of([partitions], [[0]] * 60, lags=lags)
    constraint, assigned = start(group)
    bounds = load_bounds(Counting(group, constraint), never)
    found = exchange_in_pairs(group, assigned, np.random.default_rng(0), never, bounds.spread)
    assert constraint.admits(found)
    assert 0 <= spread_of(group, found) - bounds.spread < 0.001 * lags.sum() / 60
