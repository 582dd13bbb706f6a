"""The answer to a rebalance: a sticky plan, and a fuller one where it is worth more moves.

The group waits for the answer, in an eager group without reading. A sticky plan has exact counts
with the fewest moves, and takes milliseconds. A full plan uses the whole time limit, so it is made
only if a perfect one would be worth it, and handed out only if it is worth it itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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
    LateDecision,
    PlanSettings,
    attempt_plan,
    decide,
    decide_within,
    has_rules,
)
from equilag.live.rebalance.fitting_policy import FittingPolicy, with_capacities
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.measured import NOTHING_MEASURED, Measured, awaits_rates, measured_loads
from equilag.planner.worth.gain import Gain, gain_of, possible_gain
from equilag.planner.worth.group_loads import group_loads

STICKY_EFFORT: Final = 0.01
"""Counted work of a sticky plan's search, in seconds of one core. Counts and moves are exact with
none. So much takes 12 % off the lag spread when members come and go in groups of 8 members and 24
partitions, and 4 % with 20 and 100; five times as much takes 9 % and 2 % more, while an eager group
stands still for another 0.04 s. What matters more than that is for the full plan."""

FULL_EFFORT: Final = 0.15
"""Counted work of a full plan while the group waits, in seconds of one core. A plan that nobody
waits for follows with the next observations, if it is worth it."""


def answer_of(
    group: Group,
    settings: PlanSettings,
    worth_it: Callable[[Gain], bool],
    fallback_reason: str | None = None,
    measured: Measured = NOTHING_MEASURED,
    on_sticky: Callable[[Decision], object] | None = None,
) -> Decision:
    """Return what to hand out to the group, which was built from `measured`.

    `worth_it` tells whether a gain pays for its moves; the gains are those of leaving the sticky
    plan. As long as rates are awaited, the sticky plan is the answer, and with a `fallback_reason`,
    which says why there is nothing to weigh by. `on_sticky` is called with the sticky plan as soon
    as there is one, for a caller that cannot wait. If nothing else can be planned, a heuristic
    answers. Raises InputError only if that cannot either.
    """
    began = time.monotonic()
    sticky = sticky_decision(group, settings, fallback_reason)
    if on_sticky is not None:
        on_sticky(sticky)
    if sticky.fallback_reason is not None:
        return sticky
    policy = settings.policy_for(group)
    loads = measured_loads(with_capacities(group, policy), policy, measured)
    kept = sticky.plan.assigned
    if awaits_rates(group, policy) or not worth_it(
        possible_gain(loads, kept, exact_counts=policy.evens_totals)
    ):
        return sticky
    left = settings.time_limit - (time.monotonic() - began)
    limits = replace(settings, time_limit=max(0.0, left), effort=FULL_EFFORT)
    full = decide_within(group, limits)
    if full.fallback_reason is not None:
        return sticky
    return full if worth_it(gain_of(loads, kept, full.plan.assigned)) else sticky


def sticky_decision(
    group: Group, settings: PlanSettings, fallback_reason: str | None = None
) -> Decision:
    """Return a plan with exact counts and the fewest moves; of those plans an even one.

    Without one in time, the answer of last resort.
    """
    patience = settings.time_limit + GRACE_S
    found = LateDecision(lambda: _sticky(group, settings, fallback_reason)).wait(patience)
    return found or decide(group, settings, f"no plan within {patience:g} s")


def sticky_policy(policy: Policy) -> Policy:
    """The policy with fewer moves before everything but the counts and reads across racks."""
    name = policy.name if policy.moves_first else "fair-yet-sticky"
    return replace(policy, name=name, max_moves=None, fresh=False)


def _sticky(group: Group, settings: PlanSettings, fallback_reason: str | None) -> Decision:
    fitting = FittingPolicy(sticky_policy(settings.policy_for(group)))
    attempt = attempt_plan(group, fitting, settings, settings.time_limit, STICKY_EFFORT)
    problem, left_out = attempt.problem, attempt.fitting.left_out
    if attempt.plan is not None and attempt.plan.status != "fallback":
        plan = _in_turn(group, attempt.plan, attempt.fitting.policy) or attempt.plan
        return Decision(plan, fallback_reason, left_out, is_sticky=True)
    if attempt.plan is not None:
        problem = f"no time for a plan within {settings.time_limit:g} s"
    return decide(group, settings, fallback_reason or problem)


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


def warm_up() -> None:
    """Plan a tiny group: the first plan by load imports libraries, which takes 0.2 to 1 s."""
    import equilag.solver.cpsat.model  # noqa: F401

    members = [JoinedMember(name, ("t",)) for name in ("a", "b", "c")]
    lags = Measured({"t": [9, 8, 5, 3, 2, 1]})
    sticky_decision(group_of("", members, {"t": 6}, lags), PlanSettings(time_limit=1.0))
