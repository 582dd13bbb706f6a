"""Level search and its parts: heavy partitions first, layers, cycles."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from support.groups import LAG_KINDS, ODD, group_of, random_group
from support.local_search import never, spread_of, start
from support.real_groups import RealShape, real_snapshot

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.certificate.bounds.counting import Counting
from equilag.domain.budget import limit_steps
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import is_valid, member_counts, member_loads
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.counts.even_counts import balanced
from equilag.solver.exchange.assignment_layers import deal_layers
from equilag.solver.exchange.cyclic_exchanges import Window
from equilag.solver.exchange.places import PlaceTable
from equilag.solver.local_search.heavy_first import settle_heavy
from equilag.solver.local_search.level_search import search_level
from equilag.solver.local_search.window_cycles import exchange_in_cycles
from equilag.solver.lower_bounds.load_bounds import load_bounds


def window_of(group: Group, constraint: CountConstraint) -> Window:
    bounds = load_bounds(Counting(group, constraint), never)
    low, high = (bounds.lowest.value, bounds.highest.value) if bounds else (0, 0)
    return Window(low, max(low, high))


def starts(seed: int, n: int) -> Iterator[tuple[Group, CountConstraint, Index, Window]]:
    rng = np.random.default_rng(seed)
    for number in range(n):
        group = random_group(
            rng, topics=8, members=9, size=8, reads=(0.3, 0.5, 0.8)[number % 3], owned=0.3,
            kind=LAG_KINDS[number % len(LAG_KINDS)],
        )  # fmt: skip
        policy = Policy(("lag-aware", "lag-aware", "sticky-yet-fair")[number % 3])
        constraint, assigned = start(group, policy, keep=False)
        yield group, constraint, assigned, window_of(group, constraint)


def rows(group: Group, constraint: CountConstraint, assigned: Index) -> PlaceTable:
    """A table of all members with a place."""
    free = member_counts(np.where(constraint.free, assigned, NOBODY), group.n_members)
    least, most = constraint.counts_of()
    return PlaceTable(group, constraint, assigned, np.flatnonzero((free > 0) | (most > least)))


def beyond(places: PlaceTable, window: Window) -> int:
    low, high = places.extremes
    return max(0, window.low - low) + max(0, high - window.high)


@pytest.mark.parametrize("method", [deal_layers, exchange_in_cycles])
def test_an_exchange_brings_the_extremes_closer_or_changes_none(method: object) -> None:
    rng, better = np.random.default_rng(0), 0
    for group, constraint, assigned, window in starts(seed=11, n=24):
        places = rows(group, constraint, assigned)
        if len(places.members) < 2:
            continue
        before, stop = beyond(places, window), limit_steps(40, never)
        assert callable(method)
        helped = method(places, window, rng, stop)
        found = places.assigned(assigned)
        assert is_valid(group, found)
        assert constraint.admits(found)
        loads = member_loads(found, group.lag, group.n_members)[places.members]
        assert np.array_equal(loads, places.loads)
        assert beyond(places, window) <= before
        assert helped or beyond(places, window) == before
        better += beyond(places, window) < before
    assert better > 5


def test_a_layer_goes_round_a_ring_at_once() -> None:
    # Topic i can only go from one neighbour to the other, so all have to go round together.
    n = 4
    group = group_of(
        [1] * 2 * n,
        [[i, (i + 1) % n, n + i] for i in range(n)],
        lags=[*range(10, 10 + n), *(100 - i for i in range(n))],
    )
    constraint, assigned = start(group, Policy(), keep=False)
    assigned[:n] = (np.arange(n) - 1) % n
    places = rows(group, constraint, assigned)
    assert spread_of(group, assigned) == n
    level = Window(110, 110)
    stop = limit_steps(200, never)  # one layer in sixteen has all four
    assert deal_layers(places, level, np.random.default_rng(1), stop, patience=200)
    assert spread_of(group, places.assigned(assigned)) == 0
    places = rows(group, constraint, assigned)
    assert exchange_in_cycles(places, level, np.random.default_rng(1), limit_steps(20, never))
    assert spread_of(group, places.assigned(assigned)) == 0


def test_heavy_partitions_get_members_of_their_own_and_the_lightest_beside_them() -> None:
    rng, settled = np.random.default_rng(12), 0
    for _ in range(30):
        group = random_group(rng, topics=8, members=6, size=8, reads=0.7)
        constraint, assigned = start(group, Policy(), keep=False)
        heaviest = int(rng.integers(1, 4))
        found = settle_heavy(group, constraint, assigned, heaviest)
        if found is None:
            continue
        settled += 1
        assert is_valid(group, found.assigned)
        assert constraint.admits(found.assigned)
        free = np.flatnonzero(constraint.free)
        lead = free[np.argsort(-group.lag[free], kind="stable")][:heaviest]
        holders = found.assigned[lead]
        assert len(set(holders.tolist())) == heaviest
        assert np.flatnonzero(found.heavy).tolist() == sorted(holders.tolist())
        least = constraint.counts_of().least
        counts = member_counts(found.assigned, group.n_members)
        loads = member_loads(found.assigned, group.lag, group.n_members)
        if (counts[holders] == least[holders]).all():
            others = np.sort(np.delete(group.lag, lead))
            floor = others[: int((least[holders] - 1).sum())].sum() + group.lag[lead].sum()
            assert loads[holders].sum() >= floor
    assert settled > 10


def test_the_lightest_beside_where_everybody_may_take_everything() -> None:
    group = group_of([9], [[0]] * 3, lags=[100, 90, 1, 2, 3, 4, 50, 60, 70])
    constraint, assigned = start(group, Policy(), keep=False)
    found = settle_heavy(group, constraint, assigned, 2)
    assert found is not None
    loads = member_loads(found.assigned, group.lag, 3)
    assert sorted(loads.tolist()) == [97, 103, 180]
    assert settle_heavy(group, constraint, assigned, 4) is None  # more than members


def test_level_search_never_harms_and_mostly_helps() -> None:
    better = 0
    for group, constraint, assigned, window in starts(seed=13, n=24):
        given = assigned.copy()
        found = search_level(
            group, constraint, assigned, window, np.random.default_rng(2),
            limit_steps(60, never), heaviest=2,
        )  # fmt: skip
        assert np.array_equal(assigned, given)
        assert is_valid(group, found)
        assert constraint.admits(found)
        assert spread_of(group, found) <= spread_of(group, assigned)
        pinned = constraint.pinned_assignment
        assert np.array_equal(found[pinned != NOBODY], pinned[pinned != NOBODY])
        better += spread_of(group, found) < spread_of(group, assigned)
    assert better > 8


def test_level_search_repeats_itself_and_stops() -> None:
    for group, constraint, assigned, window in starts(seed=14, n=3):
        first, second = (
            search_level(
                group, constraint, assigned, window, np.random.default_rng(5),
                limit_steps(50, never), heaviest=1,
            )
            for _ in range(2)
        )  # fmt: skip
        assert np.array_equal(first, second)
        rng = np.random.default_rng(5)
        asked = search_level(group, constraint, assigned, window, rng, lambda: True)
        assert np.array_equal(asked, assigned)


@pytest.mark.parametrize("policy", ["lag-aware", "sticky-yet-fair", "kip-169"])
@pytest.mark.parametrize("name", [name for name in ODD if name != "largest total"])
def test_level_search_of_odd_groups(name: str, policy: str) -> None:
    group = ODD[name]()
    constraint, assigned = start(group, Policy(policy), keep=False)
    found = search_level(
        group, constraint, assigned, window_of(group, constraint), np.random.default_rng(0),
        limit_steps(20, never), heaviest=1,
    )  # fmt: skip
    assert constraint.admits(found)
    if (~group.idle).any():
        assert spread_of(group, found) <= spread_of(group, assigned)
    if constraint.per_topic:
        assert np.array_equal(found, assigned)


def test_a_large_group_is_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.solver.local_search.level_search.MAX_PAIRS", 400)
    rng = np.random.default_rng(15)
    group = random_group(rng, topics=12, members=40, size=12, reads=0.4, kind="uneven")
    constraint, assigned = start(group, Policy(), keep=False)
    window = window_of(group, constraint)
    found = search_level(group, constraint, assigned, window, rng, limit_steps(60, never))
    assert constraint.admits(found)
    assert spread_of(group, found) < spread_of(group, assigned)


def test_counts_keep_to_the_sums_of_instances() -> None:
    bound = 0
    for seed in range(40):
        shape = RealShape(members=8, units=24, fields=frozenset({"instance", "room", "allowed"}))
        given = load_snapshot(real_snapshot(Random(seed), shape))
        try:
            group = reduce_group(given, Policy()).group
            assigned, constraint = balanced(group, Policy())
        except InputError:
            continue
        bound += constraint.instance_sums is not None
        window, rng = window_of(group, constraint), np.random.default_rng(seed)
        for heaviest in (0, 2):
            steps = limit_steps(30, never)
            found = search_level(group, constraint, assigned, window, rng, steps, heaviest)
            assert constraint.admits(found)
    assert bound > 10
