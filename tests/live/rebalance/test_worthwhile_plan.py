"""Plans that may pay for their rebalance."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from support.live_loads import loads_of

from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.rebalance.sticky_plan import repaired, sticky_policy
from equilag.live.rebalance.worthwhile_plan import (
    cheaper_plan,
    gain_of_plan,
    with_move_prices,
)
from equilag.planner.simulation.rebalance_price import Pace

POLICY = live_policy()
PACE = Pace(10.0, 3, 5.0, "cooperative")
SPEEDS = {"a": 40.0, "b": 100.0, "c": 100.0}
OWNER = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
LOADS = loads_of([0] * 12, list(SPEEDS), OWNER, [15.0] * 12, None, SPEEDS, True, POLICY)


def of(assigned: list[int]) -> Decision:
    plan = repaired(LOADS.group, sticky_policy(POLICY))
    assert plan is not None
    return Decision(replace(plan, assigned=np.array(assigned, dtype=np.int32)))


def test_moves_have_the_price_of_what_is_produced() -> None:
    loads = loads_of([0] * 4, ["a", "b"], [0, 0, 1, 1], [1.0, 3.0, 0.0, 4.0], policy=POLICY)
    assert with_move_prices(loads, POLICY).move_weights.tolist() == [12, 20, 8, 24]  # type: ignore[union-attr]
    for policy in (live_policy(move_weight="rate"), live_policy("kip-169")):
        assert with_move_prices(loads, policy) is loads.group
    still = loads_of([5] * 4, ["a", "b"], [0, 0, 1, 1], policy=POLICY)
    assert with_move_prices(still, POLICY) is still.group


def test_a_plan_that_moves_nearly_everything_is_replaced() -> None:
    """By one that takes two partitions from the slow member, and nothing else."""
    weigh = partial(gain_of_plan, LOADS, PACE, 300.0)
    whole = of([1, 2, 1, 2, 2, 0, 2, 1, 1, 0, 1, 2])
    gain = weigh(whole)
    assert gain is not None
    group = with_move_prices(LOADS, POLICY)
    better, gain_then = cheaper_plan(group, POLICY, weigh, whole, gain)
    assert (gain.moves, gain_then.moves) == (10, 2)
    assert np.bincount(better.plan.assigned).tolist() == [2, 5, 5]
    assert cheaper_plan(group, POLICY, weigh, better, gain_then) == (better, gain_then)
    few = of([1, *OWNER[1:]])  # as many moves as are left
    gain_few = weigh(few)
    assert gain_few is not None
    assert cheaper_plan(group, POLICY, weigh, few, gain_few)[0] is few
    assert weigh(replace(whole, fallback_reason="late")) is None
