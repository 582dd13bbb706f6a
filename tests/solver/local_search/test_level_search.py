"""Level search and its parts: heavy partitions first, layers, cycles."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.extended_groups import ExtendedShape, extended_snapshot
from support.groups import random_group
from support.local_search import never, spread_of, start, window_of

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.budget import limit_steps
from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.counts.even_counts import balanced
from equilag.solver.local_search.level_search import search_level


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
