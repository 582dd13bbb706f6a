"""What the status shows of an observation and of a decision."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from equilag.domain.plan.metrics import member_counts, member_loads, spread
from equilag.domain.plan.plan import Plan
from equilag.live.rebalance.controller import Considered, Controller
from equilag.live.rebalance.joined_members import member_key
from equilag.live.rebalance.speed_names import speed_names
from equilag.live.steward.clock import utc
from equilag.live.steward.observer import Observation
from equilag.planner.worth.gain import imbalance_of
from equilag.planner.worth.group_loads import GroupLoads
from equilag.report.facts.stewards.steward_parts import StewardMember, StewardMove, StewardPlan

MAX_MOVES: Final = 50
"""Moves of a plan that the status lists: more would not be read."""


def observed_figures(observation: Observation) -> dict[str, Any]:
    """Return the facts of the group as it is."""
    loads, group = observation.loads, observation.group
    present = bool(observation.members)
    by_member = member_loads(group.owner, group.lag, group.n_members)
    rate = float(loads.rate.sum())
    utilisation = None
    if observation.measured.capacities and rate:
        utilisation = round(100.0 * rate / float(loads.capacity.sum()), 1)
    return {
        "members": len(observation.members),
        "partitions": int(group.assignable.sum()),
        "unowned_partitions": observation.unowned,
        "lag_total": int(group.lag.sum()),
        "lag_spread": spread(by_member, group.idle) if present else None,
        "rate_total": round(rate, 1) if group.rates is not None else None,
        "utilisation_percent": utilisation,
        "heaviest_percent": round(imbalance_of(loads, group.owner).heaviest_percent, 1)
        if present
        else None,
        "by_member": observed_members(observation),
    }


def observed_members(observation: Observation) -> tuple[StewardMember, ...]:
    """Return what is known of each member, the heaviest first."""
    group, loads = observation.group, observation.loads
    counts = member_counts(group.owner, group.n_members).tolist()
    lag = member_loads(group.owner, group.lag, group.n_members).tolist()
    held = group.owner >= 0
    rate = np.bincount(group.owner[held], loads.rate[held], group.n_members).tolist()
    load = dict(zip(loads.busy.tolist(), loads.of(group.owner).tolist(), strict=True))
    keys = {one.id: member_key(one) for one in observation.members}
    names = speed_names(observation.members)
    speeds = observation.measured.capacities
    members = []
    for number, member in enumerate(group.members):
        key = keys[member.id]
        share = 100.0 * load[number] / loads.fair if number in load and loads.fair else None
        speed = speeds.get(key)
        members.append(
            StewardMember(
                name=names[key],
                id=key,
                partitions=counts[number],
                lag=lag[number],
                load_percent=None if share is None else round(share, 1),
                rate=round(rate[number], 1) if group.rates is not None else None,
                speed=None if speed is None else round(speed, 1),
                speed_measured=names[key] in observation.speeds,
            )
        )
    members.sort(key=lambda one: (-(one.load_percent or 0.0), -one.lag, one.name))
    return tuple(members)


def decision_figures(
    considered: Considered,
    controller: Controller,
    loads: GroupLoads,
    names: Mapping[str, str],
    now: float,
) -> dict[str, Any]:
    """Return the facts of a decision; `names` are those of the members by id. What a decision made
    no plan for keeps the last plan."""
    possible, gain = considered.possible, considered.gain
    figures = {
        "relief_possible_percent": None if possible is None else round(possible.relief_percent, 1),
        "cooldown_s": controller.cooldown.seconds,
        "cooldown_left_s": round(controller.cooldown.left(now), 1),
        "moves_left": controller.budget.left(loads.group.n_partitions, now),
        "pause_s": round(controller.pause_s, 2),
    }
    if gain is None or considered.decision is None:
        return figures
    plan = StewardPlan(
        at=utc(time.time()),
        decision=considered.verdict.ground,
        reason=considered.verdict.reason,
        relief_percent=round(gain.relief_percent, 1),
        relief_s=None if gain.relief_s is None else round(gain.relief_s, 1),
        heaviest_percent=round(gain.now.heaviest_percent, 1),
        heaviest_percent_planned=round(gain.planned.heaviest_percent, 1),
        moves=gain.moves,
        moved=planned_moves(considered.decision.plan, names),
    )
    return {**figures, "last_plan": plan}


def planned_moves(plan: Plan, names: Mapping[str, str]) -> tuple[StewardMove, ...]:
    """Return the moves of a plan, the largest lag first."""
    moves = sorted(plan.moves, key=lambda one: (-one.lag, one.topic, one.partition))
    return tuple(
        StewardMove(
            one.topic,
            one.partition,
            names.get(one.source, one.source),
            names.get(one.target, one.target),
            one.lag,
        )
        for one in moves[:MAX_MOVES]
    )
