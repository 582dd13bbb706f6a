"""Level search and its parts: heavy partitions first, layers, cycles."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.extended_groups import ExtendedShape, extended_snapshot
from support.groups import random_group
from support.local_search import never, spread_of, start, starts, window_of

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.budget import limit_steps
from equilag.domain.constraint import CountConstraint
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import is_valid, member_counts, member_loads
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.counts.even_counts import balanced
from equilag.solver.exchange.cyclic_exchanges import Window
from equilag.solver.exchange.places import PlaceTable, deal_layers
from equilag.solver.local_search.level_search import search_level
from equilag.solver.local_search.window_cycles import exchange_in_cycles


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
    for group, _, constraint, assigned in starts(seed=11, n=6):
        places, window = rows(group, constraint, assigned), window_of(group, constraint)
        if constraint.per_topic or len(places.members) < 2:
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
    assert better > 3


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
    for seed in range(24):
        shape = ExtendedShape(8, 24, frozenset({"instance", "room", "allowed"}))
        given = load_snapshot(extended_snapshot(Random(seed), shape))
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
