"""Plans that may pay for their rebalance: by weighed moves, with the fewest moves, in steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import Decision
from equilag.live.rebalance.sticky_plan import repaired, sticky_policy
from equilag.planner.simulation.rebalance_price import MARGIN, Pace
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads

MakePlan: TypeAlias = Callable[[Group, Policy], Decision]
"""Makes a plan by a policy."""
Weigh: TypeAlias = Callable[[Decision], Gain | None]
"""The gain of a plan; None if planning failed."""

LEAST_STEP: Final = 1 / 64
"""The smallest part of a plan's price that is tried as a step of it: of many moves, the first ones
gain most, but not so much more."""
_PRICE_STEPS: Final = 8
"""Steps of a move's weight in that of a partition with the mean rate."""


def with_move_prices(loads: GroupLoads, policy: Policy) -> Group:
    """Return the group with a weight of each move, unless the policy has its own: what is produced
    to the partition while it pauses, and what is to an average one, as every move has its risks.
    """
    group = loads.group
    own = policy.move_weight is not None or policy.max_move_weight is not None
    if own or policy.counts_topics or group.move_weights is not None or not loads.rate.any():
        return group
    price = np.ceil(_PRICE_STEPS * (loads.rate / loads.rate.mean() + 1.0))
    return replace(group, move_weights=price.astype(np.int64))


def gain_of_plan(loads: GroupLoads, pace: Pace, seconds: float, decision: Decision) -> Gain | None:
    """Return the gain of a plan over some seconds; None if planning failed."""
    if decision.fallback_reason is not None:
        return None
    return gain_of(loads, loads.group.owner, decision.plan.assigned, pace, seconds)


def cheaper_plan(
    group: Group, policy: Policy, weigh: Weigh, decision: Decision, gain: Gain
) -> tuple[Decision, Gain]:
    """Return the plan with the fewest moves for its counts if that pays, and nets more than that of
    `decision`: a search that is short of time may move nearly everything."""
    plan = repaired(replace(group, move_weights=None), sticky_policy(policy))
    other = None if plan is None else weigh(Decision(plan))
    if plan is None or other is None or other.moves > gain.moves:
        return decision, gain
    nets_more = gain.weighed and other.weighed and other.weighed.net > max(0.0, gain.weighed.net)
    return (Decision(plan), other) if nets_more else (decision, gain)


def first_step(
    group: Group, policy: Policy, make_plan: MakePlan, weigh: Weigh, decision: Decision, gain: Gain
) -> tuple[Decision, Gain] | None:
    """Return a step of a plan that does not pay: the best moves for the part of its price that pays
    for itself with the margin twice. None if there is none."""
    weighed = gain.weighed
    part = weighed.gain / weighed.price / MARGIN**2 if weighed else 0.0
    if part < LEAST_STEP or group.move_weights is None:
        return None
    moved = decision.plan.assigned != group.owner
    most = round(part * int(group.move_weights[moved].sum()))
    step = make_plan(group, replace(policy, max_move_weight=most))
    found = weigh(step)
    return None if found is None else (step, found)
