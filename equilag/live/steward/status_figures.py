"""What the status shows of an observation and of a verdict."""

from __future__ import annotations

from typing import Any

from equilag.live.rebalance.controller import Considered, Controller
from equilag.live.steward.observer import Observation
from equilag.metrics import member_loads, spread
from equilag.worth.gain import imbalance_of
from equilag.worth.group_loads import GroupLoads


def observed_figures(observation: Observation) -> dict[str, Any]:
    """Return the figures of the group as it is."""
    loads, group = observation.loads, observation.group
    present = bool(observation.members)
    by_member = member_loads(group.owner, group.lag, group.n_members)
    rate = float(loads.rate.sum())
    speeds = observation.measured.capacities
    utilisation = None
    if speeds and rate:
        utilisation = round(100.0 * rate / float(loads.capacity.sum()), 1)
    return {
        "members": len(observation.members),
        "partitions": int(group.assignable.sum()),
        "unowned_partitions": observation.unowned,
        "lag_total": int(group.lag.sum()),
        "lag_spread": spread(by_member, group.idle) if present else None,
        "rate_total": round(rate, 1) if group.rates is not None else None,
        "utilisation_percent": utilisation,
        "speeds": {key: round(speed, 1) for key, speed in sorted(speeds.items())},
        "heaviest_percent": round(imbalance_of(loads, group.owner).heaviest_percent, 1)
        if present
        else None,
    }


def decision_figures(
    considered: Considered, controller: Controller, loads: GroupLoads, now: float
) -> dict[str, Any]:
    """Return the figures of a verdict."""
    gain, possible = considered.gain, considered.possible
    return {
        "decision": considered.verdict.ground,
        "verdict": considered.verdict.reason,
        "relief_possible_percent": None if possible is None else round(possible.relief_percent, 1),
        "relief_planned_percent": None if gain is None else round(gain.relief_percent, 1),
        "heaviest_percent_planned": None
        if gain is None
        else round(gain.planned.heaviest_percent, 1),
        "moves_planned": None if gain is None else gain.moves,
        "cooldown_s": controller.cooldown.seconds,
        "cooldown_left_s": round(controller.cooldown.left(now), 1),
        "moves_left": controller.budget.left(loads.group.n_partitions, now),
        "pause_s": round(controller.pause_s, 2),
    }
