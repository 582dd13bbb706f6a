"""Descents along the front: windows of loads that close in, with few moves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support.groups import group_of, snapshot_of, with_members
from support.local_search import never, spread_of, start, window_of

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.budget import limit_steps
from equilag.domain.group.group import Group, Index, Ints
from equilag.domain.plan.metrics import count_moves, loads_of
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.levelling import descend_in_windows


def descent(group: Group, policy: Policy, seed: int = 0) -> list[Index]:
    constraint, assigned = start(group, policy, keep=True)
    rng, mean = np.random.default_rng(seed), int(group.lag.sum()) / group.n_members
    window, widths = window_of(group, constraint), [mean / 100, mean / 1_000, 0]
    return list(descend_in_windows(group, constraint, assigned, rng, never, window, widths))


def many_members(policy: Policy, classes: int = 1) -> tuple[Group, list[Index]]:
    """99 members with 24 partitions each, 2 of every topic, or 6 where there are three classes."""
    lags: Ints = np.random.default_rng(8).integers(1, 10_000, 12 * 198)
    reads = [[t for t in range(12) if t % classes == m % classes] for m in range(99)]
    turn = np.arange(198) // classes * classes % 99
    owners = np.concatenate([turn + t % classes for t in range(12)])
    group = group_of([198] * 12, reads, owners, lags)
    return group, descent(group, policy)


@pytest.mark.parametrize("classes", [1, 3])
def test_some_moves_per_member_reach_a_hundredth_of_the_mean(classes: int) -> None:
    group, found = many_members(Policy(), classes)
    # Classes that share no topic differ in their means.
    reached = spread_of(group, found[-1]) if classes > 1 else 0
    near = reached + 0.01 * int(group.lag.sum()) / 99
    assert min(count_moves(group, a) for a in found if spread_of(group, a) <= near) <= 230


@pytest.mark.parametrize("balance", ["per-topic", "both"])
def test_topics_that_count_one_by_one_are_evened_out_too(balance: str) -> None:
    group, found = many_members(Policy("lag-aware", balance))
    _, assigned = start(group, Policy("lag-aware", balance), keep=True)
    assert spread_of(group, found[-1]) * 10 < spread_of(group, assigned)


def test_a_partition_heavier_than_all_else_costs_no_more_than_its_companions() -> None:
    # The heavy one's member hands over what lies beside it; the others are even as they are.
    group = group_of([9], [[0]] * 3, [0, 0, 0, 1, 1, 1, 2, 2, 2], [10**6, 9, 9, 5, 5, 5, 5, 5, 5])
    found = descent(group, Policy())
    assert found
    assert count_moves(group, found[-1]) <= 6
    assert spread_of(group, found[-1]) < 10**6 + 18 - 15


def by_capacity(capacities: list[int], owner: list[int], lags: list[int]) -> Group:
    """A reduced group of one topic, whose members may take any number of its partitions."""
    snapshot = snapshot_of([len(lags)], [[0]] * len(capacities), owner, lags)
    group = load_snapshot(with_members(snapshot, capacity=capacities))
    return reduce_group(group, Policy(balance="none")).group


def test_a_slow_member_does_not_swing_between_too_heavy_and_too_light() -> None:
    # A record is 5 times as much at m1 as at m2. What it hands over and takes back helps nobody.
    group = by_capacity([2, 1, 5], [0, 0, 0, 2], [3, 3, 7, 2])
    constraint, assigned = start(group, Policy(balance="none"), keep=True)
    walk = descend(group, constraint, assigned, np.random.default_rng(0), limit_steps(60, never))
    spreads = [loads_of(group, found).spread for found in walk]
    assert 0 < len(spreads) < 10
    assert spreads[-1] == min(spreads) == Fraction(5, 2)
