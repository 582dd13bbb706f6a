"""The plan for a group whose members or topics change: what Kafka's sticky assignors move, or less.

The group waits for it, in an eager group without reading. It has exact counts with the fewest
moves, and is made in milliseconds; what moves anyway goes where it evens the load. A better balance
comes with a later rebalance, where the controller says that one is worth it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Group, Ints
from equilag.domain.plan.metrics import is_valid, member_counts
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.decision import (
    GRACE_S,
    Decision,
    PlanSettings,
    attempt_plan,
    decided_within,
    has_rules,
    last_resort,
)
from equilag.live.rebalance.fitting_policy import FittingPolicy
from equilag.planner.worth.group_loads import group_loads

STICKY_EFFORT: Final = 0.01
"""Counted work of a sticky plan's search, in seconds of one core. Counts and moves are exact with
none. So much takes 12 % off the lag spread when members come and go in groups of 8 members and 24
partitions, and 4 % with 20 and 100; five times as much takes 9 % and 2 % more, while an eager group
stands still for another 0.04 s."""


def sticky_decision(
    group: Group, settings: PlanSettings, patience: float | None = None
) -> Decision:
    """Return a plan with exact counts and the fewest moves; of those plans an even one.

    Without one after `patience` seconds (None: the time limit and GRACE_S) the answer of last
    resort.
    """
    if patience is None:
        patience = settings.time_limit + GRACE_S
    return decided_within(patience, lambda: _sticky(group, settings), group, settings)


def sticky_policy(policy: Policy) -> Policy:
    """The policy with fewer moves before everything but the counts and reads across racks."""
    name = policy.name if policy.moves_first else "fair-yet-sticky"
    return replace(policy, name=name, max_moves=None, max_move_weight=None, fresh=False)


def _sticky(group: Group, settings: PlanSettings) -> Decision:
    fitting = FittingPolicy(sticky_policy(settings.policy_for(group)))
    attempt = attempt_plan(group, fitting, settings, settings.time_limit, STICKY_EFFORT)
    if attempt.plan is not None and attempt.plan.status != "fallback":
        plan = _in_turn(group, attempt.plan, attempt.fitting.policy) or attempt.plan
        return Decision(plan, left_out=attempt.fitting.left_out)
    late = f"no time for a plan within {settings.time_limit:g} s"
    fitting = FittingPolicy(settings.policy_for(group))
    return last_resort(group, settings, fitting, attempt.problem or late)


def _in_turn(group: Group, plan: Plan, policy: Policy) -> Plan | None:
    """Return the round robin where a group starts and nothing is known to weigh by; None elsewhere.

    With these counts one plan is as good as another then. The round robin also deals each topic
    evenly, which spares moves when a topic is deleted.
    """
    from equilag.planner.assign import assign

    owned: Flags = group.owner != NOBODY
    if owned.any() or has_rules(group, policy) or group_loads(group, policy).weight.any():
        return None
    other = assign(group, "round-robin")
    as_even = np.array_equal(_counts(group, plan), _counts(group, other))
    return other if as_even and is_valid(group, other.assigned) else None


def _counts(group: Group, plan: Plan) -> Ints:
    """[M] partitions per member, ascending."""
    return np.sort(member_counts(plan.assigned, group.n_members))
