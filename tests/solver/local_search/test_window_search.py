"""Window and level search: exchanges of two, three and more members, to the best of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import numpy as np
import pytest
from support import local_search
from support.extended_groups import ExtendedShape, extended_snapshot
from support.groups import group_of, random_group, small_groups
from support.local_search import never, spread_of, start, window_of
from support.oracles import Assignments

import equilag.solver.local_search.window_search as window_search
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.budget import limit_steps
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Index
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.counts.even_counts import balanced
from equilag.solver.local_search.assignment_state import AssignmentState, Window
from equilag.solver.local_search.window_search import lighten, search_window

STEPS = 600
"""Enough for the groups here; some would go on without an end, see below."""


def steps(most: int = STEPS) -> Callable[[], bool]:
    return limit_steps(most, never)


def start_of(group: Group, policy: Policy) -> tuple[CountConstraint, Index, Window]:
    constraint, assigned = start(group, policy, keep=False)
    return constraint, assigned, window_of(group, constraint)


# Groups that only one kind of step helps.


def test_where_the_heaviest_partition_must_change_its_holder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading = [[0, 1], [0, 2], [2, 3], [1, 3]]
    group = group_of([1, 2, 2, 2], reading, lags=[100, 10, 25, 55, 10, 60, 55])
    constraint, assigned, _ = start_of(group, Policy())
    window = Window(71, 100)
    assert assigned[0] == 1
    truth = Assignments.all(group).balanced("total")
    best = int(truth.spread.min())
    assert best < truth.spread[truth.rows[:, 0] == 1].min()
    found = search_window(group, constraint, assigned, window, np.random.default_rng(0), steps())
    assert spread_of(group, found) == best
    assert found[0] == 0
    # No other exchange of few members gets there.
    monkeypatch.setattr(window_search, "deal_layers", lambda group, constraint, given, *_: given)
    monkeypatch.setattr(window_search, "_holders", lambda *_: [])
    found = search_window(group, constraint, assigned, window, np.random.default_rng(0), steps())
    assert spread_of(group, found) > best


def rings(rng: np.random.Generator) -> Iterator[Group]:
    """Each member shares a topic with the next one, so that most ways are long."""
    for number in range(16):
        n = 4 + number % 2
        across = sorted(rng.choice(n, 2, replace=False).tolist())
        reading = [[i, (i + 1) % n] for i in range(n)] + [across]
        sizes = [2] * (n - 1) + [3 - number % 2]
        yield group_of(sizes, reading, lags=rng.integers(1, 100, sum(sizes)))


def ring_states(rng: np.random.Generator) -> Iterator[AssignmentState]:
    """Where the search starts in each of them."""
    for group in rings(rng):
        constraint, assigned, _ = start_of(group, Policy())
        yield AssignmentState.of(group, constraint, assigned)


# All together.


def test_small_groups_reach_the_best_of_all_assignments() -> None:
    number = reached = 0
    for group in small_groups(seed=96, n=40, limit=1500, topics=4, reads=0.5, owned=0.3):
        for policy in local_search.POLICIES[:2]:
            constraint, assigned, window = start_of(group, policy)
            given = assigned.copy()
            found = search_window(
                group, constraint, assigned, window, np.random.default_rng(0), steps()
            )
            truth = Assignments.all(group, policy.name == "sticky-yet-fair").balanced("total")
            assert np.array_equal(assigned, given)
            assert found in truth
            best = int(truth.spread.min())
            assert best <= spread_of(group, found) <= spread_of(group, assigned)
            if spread_of(group, assigned) > best:
                number, reached = number + 1, reached + (spread_of(group, found) == best)
    assert number > 12
    assert reached > 0.9 * number


def test_long_ways_are_found() -> None:
    rng, best = np.random.default_rng(93), 0
    for group in rings(rng):
        constraint, assigned, window = start_of(group, Policy())
        found = search_window(group, constraint, assigned, window, rng, steps())
        truth = Assignments.all(group).balanced("total")
        assert found in truth
        best += spread_of(group, found) == truth.spread.min()
    assert best > 5


def test_lighten_makes_a_member_lighter() -> None:
    rng, done = np.random.default_rng(94), 0
    for state in ring_states(rng):
        window = Window(int(state.loads.min()) // 2, int(state.loads.max()) - 1)
        for member in range(state.group.n_members):
            load, outside = int(state.loads[member]), window.outside(state.loads).sum()
            lighter = lighten(state, member, window, never)
            assert state.constraint.admits(state.assigned)
            assert lighter is bool(state.loads[member] < load)
            assert window.outside(state.loads).sum() < outside or not lighter
            done += lighter
    assert done > 2


@pytest.mark.parametrize("balance", ["per-topic", "both"])
def test_nothing_where_topics_count_one_by_one(balance: str) -> None:
    rng = np.random.default_rng(98)
    for _ in range(10):
        group = random_group(rng, topics=6, members=8, size=8)
        policy = Policy(balance=balance)
        constraint, assigned, window = start_of(group, policy)
        found = search_window(group, constraint, assigned, window, rng, steps())
        assert np.array_equal(found, assigned)


def test_a_descent_ends_by_itself() -> None:
    group = group_of(
        [1, 1, 5], [[1], [1, 2], [0, 2], [1, 2]], lags=[50013, 12, 206, 13, 131, 21, 50013]
    )
    constraint, assigned, window = start_of(group, Policy())
    stop = steps(3000)
    search_window(group, constraint, assigned, window, np.random.default_rng(0), stop)
    assert not stop()


def test_counts_keep_to_the_sums_of_instances() -> None:
    bound = 0
    for seed in range(24):
        shape = ExtendedShape(8, 24, frozenset({"instance", "room", "allowed"}))
        given = load_snapshot(extended_snapshot(Random(seed), shape))
        try:
            group = reduce_group(given, Policy()).group
            assigned, counts = balanced(group, Policy())
        except InputError:
            continue
        constraint = counts()
        bound += constraint.instance_sums is not None
        window, rng = window_of(group, constraint), np.random.default_rng(seed)
        found = search_window(group, constraint, assigned, window, rng, steps(30))
        assert constraint.admits(found)
    assert bound > 10
