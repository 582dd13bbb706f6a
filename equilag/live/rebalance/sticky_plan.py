"""The plan for a group whose members or topics change: what Kafka's sticky assignors move, or less.

The group waits for it, in an eager group without reading. It has exact counts with the fewest
moves, and is made in milliseconds; what moves anyway goes where it evens the load. A better balance
comes with a later rebalance, where the controller says that one is worth it; for that one there are
plans that may pay for their rebalance: by weighed moves, with the fewest moves, in steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from heapq import heapify, heappop, heapreplace
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import member_counts, member_sums
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group
from equilag.live.rebalance.decision import GRACE_S, Decision, PlanSettings, decide_within
from equilag.live.rebalance.live_policy import LIVE_TOLERANCE
from equilag.planner.simulation.rebalance_price import MARGIN, Pace
from equilag.planner.worth.gain import Gain, gain_of
from equilag.planner.worth.group_loads import GroupLoads, group_loads
from equilag.solver.counts.quotas import Quotas, has_quotas, keep_to_quotas

STICKY_EFFORT: Final = 0.01
"""Counted work of a sticky plan's search, in seconds of one core. Counts and moves are exact with
none. So much takes 12 % off the lag spread when members come and go in groups of 8 members and 24
partitions, and 4 % with 20 and 100; five times as much takes 9 % and 2 % more, while an eager group
stands still for another 0.04 s."""


def sticky_decision(
    group: Group,
    settings: PlanSettings,
    patience: float | None = None,
    speeds: Mapping[str, float] | None = None,
) -> Decision:
    """Return a plan with exact counts and the fewest moves; of those plans an even one.

    Capacities of the group are shares of the counts. What is free goes by `speeds`, which maps
    member ids to records per second, if those of all members are known. Without a plan after
    `patience` seconds (None: the time limit and GRACE_S) the answer of last resort.
    """
    policy = sticky_policy(settings.policy_for(group))
    if (plan := repaired(group, policy, speeds or {})) is not None:
        return Decision(plan)
    if patience is None:
        patience = settings.time_limit + GRACE_S
    return decide_within(group, replace(settings, policy=policy, effort=STICKY_EFFORT), patience)


def sticky_policy(policy: Policy) -> Policy:
    """The policy with fewer moves before everything but the counts and reads across racks."""
    name = policy.name if policy.moves_first else "fair-yet-sticky"
    return replace(policy, name=name, max_moves=None, max_move_weight=None, fresh=False)


def repaired(
    group: Group, policy: Policy, speeds: Mapping[str, float] = MappingProxyType({})
) -> Plan | None:
    """Return a plan with exact counts and the fewest moves in closed form; None for groups with
    rules or with several subscriptions, of which only a search finds one.

    Who has too many gives up what brings it closest to a fair share. What is free goes to the
    members with the least load, the heaviest first (Graham 1969). O(P log P).
    """
    from equilag.planner.assign import assign

    if policy.name != "fair-yet-sticky" or policy.overrides_group or len(group.class_topics) != 1:
        return None
    if group.idle.any() or (policy.minds_racks and group.racks is not None):
        return None
    reduced = reduce_group(group, policy).group
    if reduced.n_partitions != group.n_partitions or not has_quotas(reduced, policy):
        return None
    quotas = keep_to_quotas(reduced)
    loads = group_loads(group, policy)
    if all(member.id in speeds for member in group.members):
        speed = np.array([speeds[member.id] for member in group.members])
        loads = replace(loads, capacity=speed)
    alike = len({one.capacity for one in group.members}) == 1
    if alike and not loads.weight.any() and not (group.owner != NOBODY).any():
        # It also deals each topic evenly, which spares moves when a topic is deleted.
        return assign(group, "round-robin")
    given = assign(group, lambda _: _dealt(group, loads, quotas))
    return replace(given, algorithm="sticky")


def _dealt(group: Group, loads: GroupLoads, quotas: Quotas) -> Index:
    """[P] the members of all partitions: as many as the quotas give, and as few moves."""
    assigned, weight, capacity = group.owner.copy(), loads.weight, loads.capacity
    held = member_sums(weight, assigned, group.n_members)
    owned = member_counts(assigned, group.n_members)
    kept = np.minimum(owned, member_counts(quotas.assigned, group.n_members))
    by_owner = np.argsort(assigned, kind="stable")
    begin = np.searchsorted(assigned[by_owner], np.arange(group.n_members + 1))
    for member in np.flatnonzero(owned > kept).tolist():
        theirs = by_owner[begin[member] : begin[member + 1]]
        for left in range(int(owned[member] - kept[member]), 0, -1):
            wanted = (held[member] - loads.fair * capacity[member]) / left
            at = int(np.abs(weight[theirs] - wanted).argmin())
            held[member] -= weight[theirs[at]]
            assigned[theirs[at]] = NOBODY
            theirs = np.delete(theirs, at)
    free = np.flatnonzero(group.assignable & (assigned == NOBODY))
    needed = np.maximum(quotas.shares.least - kept, 0).tolist()
    room = (quotas.shares.most - kept).tolist()
    extra = len(free) - sum(needed)
    queue = [(held[m] / capacity[m], m) for m in range(group.n_members) if room[m] > 0]
    heapify(queue)
    for partition in free[np.argsort(-weight[free], kind="stable")].tolist():
        while not needed[queue[0][1]] and not extra:
            heappop(queue)
        load, member = queue[0]
        assigned[partition] = member
        extra -= not needed[member]
        needed[member] = max(0, needed[member] - 1)
        room[member] -= 1
        if room[member]:
            heapreplace(queue, (load + weight[partition] / capacity[member], member))
        else:
            heappop(queue)
    return assigned


UNSURE: Final = LIVE_TOLERANCE / 100
"""Part of a gain that is not known, as rates are not: a cheaper plan that nets more by less would
leave a member with too much for nothing."""
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
    """Return the plan with the fewest moves for its counts if that pays, and nets surely more than
    that of `decision`: a search that is short of time may move nearly everything."""
    plan = repaired(replace(group, move_weights=None), sticky_policy(policy))
    other = None if plan is None else weigh(Decision(plan))
    if plan is None or other is None or other.moves > gain.moves:
        return decision, gain
    if gain.weighed is None or other.weighed is None:
        return decision, gain
    least = max(0.0, gain.weighed.net + UNSURE * gain.weighed.gain)
    return (Decision(plan), other) if other.weighed.net > least else (decision, gain)


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
