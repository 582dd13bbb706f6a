"""Greedy descent along the front: steps that lower the spread, and moves that are saved again."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import ODD, group_of
from support.local_search import (
    POLICIES,
    excess_of,
    never,
    spread_of,
    start,
    starts,
)

from equilag.domain.group.group import Group
from equilag.domain.group.member import Member
from equilag.domain.plan.metrics import compared_figures
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.local_search.greedy_descent import descend


def test_descent_goes_down_and_keeps_the_constraint() -> None:
    steps = 0
    for group, _, constraint, assigned in starts(seed=55, n=15):
        last = spread_of(group, assigned)
        given = assigned.copy()
        for found in descend(
            group, constraint, assigned, np.random.default_rng(0), never, steps=60
        ):
            assert constraint.admits(found)
            assert spread_of(group, found) <= last
            last = spread_of(group, found)
            steps += 1
        assert np.array_equal(assigned, given)
    assert steps > 50


def test_descent_relieves_members_that_are_not_the_heaviest() -> None:
    # Nobody can help m00; m01 can give to m02 and m03.
    group = group_of([6], [[0]] * 4, owners=[0, 1, 1, 1, 2, 3], lags=[900, 50, 40, 30, 5, 5])
    constraint, assigned = start(group, Policy(balance="total"), keep=True)
    found = list(descend(group, constraint, assigned, np.random.default_rng(0), never, steps=60))
    assert spread_of(group, found[-1]) <= spread_of(group, assigned)
    assert excess_of(group, found[-1]) < excess_of(group, assigned)


def test_blurred_choices_lead_elsewhere_and_keep_the_constraint() -> None:
    group = group_of([24], [[0]] * 4, owners=[n % 4 for n in range(24)],
                     lags=[n * n * 37 % 1009 for n in range(24)])  # fmt: skip
    constraint, assigned = start(group, Policy(), keep=True)
    ends = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        *_, last = descend(group, constraint, assigned, rng, never, steps=30, noise=0.5)
        assert constraint.admits(last)
        ends.add(last.tobytes())
    assert len(ends) > 1


def test_descent_takes_no_more_steps_than_asked_and_none_when_stopped() -> None:
    group = group_of([12], [[0]] * 3, lags=[2**n for n in range(12)])
    constraint, assigned = start(group, Policy(), keep=False)
    assert (
        len(list(descend(group, constraint, assigned, np.random.default_rng(0), never, steps=2)))
        == 2
    )
    assert (
        list(descend(group, constraint, assigned, np.random.default_rng(0), lambda: True, steps=5))
        == []
    )


def test_descent_prefers_what_costs_no_move() -> None:
    # Either of m00's could go to m01; t00-1 is nobody's, so that moving it is free.
    group = group_of([4], [[0], [0]], owners=[0, -1, 1, 1], lags=[30, 30, 10, 10])
    constraint, _ = start(group, Policy(), keep=True)
    assigned = np.array([0, 0, 1, 1], np.int32)
    first = next(descend(group, constraint, assigned, np.random.default_rng(0), never, steps=1))
    assert first[0] == 0
    assert first[1] == 1


@pytest.mark.parametrize("name", ODD)
def test_descent_on_odd_groups(name: str) -> None:
    group = ODD[name]()
    for policy in POLICIES:
        constraint, assigned = start(group, policy, keep=False)
        for found in descend(group, constraint, assigned, np.random.default_rng(0), never, steps=5):
            assert constraint.admits(found)


def by_capacity(capacities: list[int], owner: list[int], lags: list[int]) -> Group:
    """A reduced group of one topic, whose members may take any number of its partitions."""
    group = Group.build(
        name="g",
        topics={"t": len(lags)},
        members=[Member(f"m{n}", capacity=capacity) for n, capacity in enumerate(capacities)],
        subscriptions={f"m{n}": ["t"] for n in range(len(capacities))},
        owned={f"m{m}": {"t": [p for p, o in enumerate(owner) if o == m]} for m in set(owner)},
        lags={"t": lags},
    )
    return reduce_group(group, Policy(balance="none")).group


def test_a_slow_member_does_not_swing_between_too_heavy_and_too_light() -> None:
    # A record is 5 times as much at m1 as at m2. What it hands over and takes back helps nobody.
    group = by_capacity([2, 1, 5], [0, 0, 0, 2], [3, 3, 7, 2])
    constraint, assigned = start(group, Policy(balance="none"), keep=True)
    rng = np.random.default_rng(0)
    spreads = [compared_figures(group, found).spread
               for found in descend(group, constraint, assigned, rng, never, steps=60)]  # fmt: skip
    assert 0 < len(spreads) < 10
    assert spreads[-1] == min(spreads) == 5


def test_a_partition_that_is_too_heavy_for_its_member_goes_to_a_faster_one() -> None:
    # m0 of capacity 2 holds 9 of 26 records. Without them it has nothing: the way is over that.
    group = by_capacity([2, 5], [1, 1, 1, 0], [11, 3, 3, 9])
    constraint, assigned = start(group, Policy(balance="none"), keep=True)
    *_, last = descend(group, constraint, assigned, np.random.default_rng(0), never, steps=60)
    assert compared_figures(group, assigned).spread == 11
    assert compared_figures(group, last).spread == 10
