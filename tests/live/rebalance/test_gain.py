"""What a rebalance gains: excess saved, over the members that have something to read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilag.group import NOBODY, Group
from equilag.live.rebalance.gain import PERFECT, Imbalance, gain_of, imbalance_of

LAGS = [100, 40, 0, 30, 10]
BEFORE = np.array([0, 1, 0, 1, 1], np.int32)
AFTER = np.array([0, 1, 1, 1, 0], np.int32)


def group(members: tuple[str, ...] = ("a", "b", "idle")) -> Group:
    return Group.build(
        name="g",
        topics={"t": 5, "none": 0},
        members=list(members),
        subscriptions={name: ["none" if name == "idle" else "t"] for name in members},
        lags={"t": LAGS},
    )


def test_excess_and_spread_are_over_members_that_are_not_idle() -> None:
    now = imbalance_of(group(), BEFORE)
    assert (now.excess, now.spread) == (10.0, 20)
    everything_on_one = imbalance_of(group(("a", "b", "c")), np.zeros(5, np.int32))
    assert (everything_on_one.excess, everything_on_one.spread) == (120.0, 180)


def test_where_capacities_differ_a_fair_share_goes_by_them() -> None:
    plain = group()
    fast, *others = plain.members
    by_capacity = replace(plain, members=(replace(fast, capacity=3.0), *others))
    assert imbalance_of(by_capacity, BEFORE) == imbalance_of(plain, BEFORE)  # one known capacity
    slow = replace(others[0], capacity=1.0)
    by_capacity = replace(plain, members=(replace(fast, capacity=3.0), slow, others[1]))
    # 180 records: 135 are the share of a, 45 that of b; both work on 2 times their records.
    assert imbalance_of(by_capacity, AFTER) == Imbalance(25.0, round(70 * 2 - 110 * 2 / 3))


def test_a_gain_is_excess_saved() -> None:
    gain = gain_of(group(), AFTER, BEFORE)
    assert (gain.now.excess, gain.planned.excess, gain.saved) == (20.0, 10.0, 10.0)
    assert (gain.moves, gain.mean) == (2, 90.0)
    assert gain.percent == 100 * 10 / 90


def test_a_plan_that_is_less_even_gains_less_than_nothing() -> None:
    assert gain_of(group(), BEFORE, AFTER).saved == -10


def test_nobody_has_anything() -> None:
    nothing = np.full(5, NOBODY, np.int32)
    assert imbalance_of(group(("idle",)), nothing) == PERFECT
    assert gain_of(group(("idle",)), nothing, nothing).percent == 0
