"""Greedy descent along the front: steps that lower the spread, and moves that are saved again."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from support.groups import group_of
from support.local_search import (
    never,
    start,
)

from equilag.domain.group.group import Group
from equilag.domain.group.member import Member
from equilag.domain.plan.metrics import loads_of
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.solver.local_search.greedy_descent import descend


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
    spreads = [loads_of(group, found).spread
               for found in descend(group, constraint, assigned, rng, never, steps=60)]  # fmt: skip
    assert 0 < len(spreads) < 10
    assert spreads[-1] == min(spreads) == Fraction(5, 2)


def test_a_partition_that_is_too_heavy_for_its_member_goes_to_a_faster_one() -> None:
    # m0 of capacity 2 holds 9 of 26 records. Without them it has nothing: the way is over that.
    group = by_capacity([2, 5], [1, 1, 1, 0], [11, 3, 3, 9])
    constraint, assigned = start(group, Policy(balance="none"), keep=True)
    *_, last = descend(group, constraint, assigned, np.random.default_rng(0), never, steps=60)
    assert loads_of(group, assigned).spread == Fraction(11, 2)
    assert loads_of(group, last).spread == 5
