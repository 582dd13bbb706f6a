"""Layers: a place of each member dealt anew at once."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.local_search import never, spread_of, start, window_of
from support.oracles import Assignments

from equilag.domain.budget import limit_steps
from equilag.domain.policy.policy import Policy
from equilag.solver.local_search.assignment_state import Window
from equilag.solver.local_search.layers import deal_layers

STEPS = 300
"""Layers, enough for the groups here."""


def test_a_window_out_of_reach_hides_nothing() -> None:
    """The member that reads one light topic alone cannot reach it, and the others are helped."""
    lags = [1, 1, 40, 2, 30, 20, 10, 7]
    group = group_of([2, 6], [[0], [1], [1], [1]], lags=lags)
    constraint, assigned = start(group, Policy(), keep=False)
    found = deal_layers(
        group,
        constraint,
        assigned,
        Window(30, 30),
        np.random.default_rng(0),
        limit_steps(STEPS, never),
    )
    truth = Assignments.all(group).balanced("total")
    assert found in truth
    assert spread_of(group, found) == truth.spread.min()


@pytest.mark.parametrize("pairs", [16, 1_000])
def test_layers_of_all_or_of_some_members(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    monkeypatch.setattr("equilag.solver.local_search.layers.TABLE", pairs)
    better = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        reading = [[0, 1], [0, 1], [0, 2], [0, 2], [0, 1, 2], [0, 1, 2]]
        group = group_of([6] * 3, reading, lags=rng.integers(1, 100, 18))
        constraint, assigned = start(group, Policy(), keep=False)
        window, given = window_of(group, constraint), assigned.copy()
        found = deal_layers(group, constraint, assigned, window, rng, limit_steps(STEPS, never))
        assert constraint.admits(found)
        assert np.array_equal(assigned, given)
        better += spread_of(group, found) < spread_of(group, given)
    assert better > 3


def test_it_ends_by_itself() -> None:
    group = group_of([4, 4], [[0], [0, 1], [1]], lags=[9, 5, 7, 1, 3, 8, 2, 6])
    constraint, assigned = start(group, Policy(), keep=False)
    stop = limit_steps(10_000, never)
    deal_layers(group, constraint, assigned, Window(100, 100), np.random.default_rng(0), stop)
    assert not stop()
