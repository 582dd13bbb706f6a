"""What the status shows of an observation and of a decision."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from equilag.domain.figures import utc
from equilag.domain.plan.metrics import member_counts, member_loads, member_sums, spread
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import CauseFacts
from equilag.domain.show import some_of
from equilag.live.rebalance.controller import Considered, Controller
from equilag.live.rebalance.joined_members import client_id_in, member_key, speed_names
from equilag.live.status.status import log_event
from equilag.live.status.steward_parts import StewardMember, StewardMove, StewardPlan
from equilag.live.steward.observer import Observation
from equilag.planner.worth.gain import heaviest_percent
from equilag.planner.worth.group_loads import GroupLoads

MAX_MOVES: Final = 50
"""Moves of a plan that the status lists: more would not be read."""


def observed_figures(observation: Observation) -> dict[str, Any]:
    """Return the facts of the group as it is."""
    loads, group = observation.loads, observation.group
    present = bool(observation.members)
    by_member = member_loads(group.owner, group.lag, group.n_members)
    rate = float(loads.rate.sum())
    utilisation = None
    if observation.measured.capacities and rate and not observation.measured.guessed:
        utilisation = 100.0 * rate / float(loads.capacity.sum())
    heaviest = heaviest_percent(loads, group.owner)
    return {
        "members": len(observation.members),
        "partitions": int(group.assignable.sum()),
        "unowned_partitions": observation.unowned,
        "lag_total": int(group.lag.sum()),
        "lag_spread": spread(by_member, group.idle) if present else None,
        "rate_total": None if group.rates is None else round(rate, 1),
        "utilisation_percent": _rounded(utilisation),
        "heaviest_percent": round(heaviest, 1) if present else None,
        "by_member": observed_members(observation),
    }


def lasting(causes: Iterable[CauseFacts]) -> tuple[CauseFacts, ...]:
    """Return the causes that no rebalance mends."""
    mended = ("leave", "assign", "move")
    return tuple(one for one in causes if one.action not in mended)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def observed_members(observation: Observation) -> tuple[StewardMember, ...]:
    """Return what is known of each member, the heaviest first."""
    group, loads = observation.group, observation.loads
    counts = member_counts(group.owner, group.n_members).tolist()
    lag = member_loads(group.owner, group.lag, group.n_members).tolist()
    rate = member_sums(loads.rate, group.owner, group.n_members).tolist()
    load = dict(zip(loads.busy.tolist(), loads.of(group.owner).tolist(), strict=True))
    keys = {one.id: member_key(one) for one in observation.members}
    names = speed_names(observation.members)
    speeds = observation.measured.capacities
    members = []
    for number, member in enumerate(group.members):
        key = keys[member.id]
        share = 100.0 * load[number] / loads.fair if number in load and loads.fair else None
        members.append(
            StewardMember(
                name=names[key],
                id=key,
                partitions=counts[number],
                lag=lag[number],
                load_percent=_rounded(share),
                rate=None if group.rates is None else round(rate[number], 1),
                speed=_rounded(speeds.get(key)),
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
        "pause_s": round(controller.pace.pause_s, 2),
    }
    if gain is None or considered.decision is None:
        return figures
    plan = StewardPlan(
        at=utc(time.time()),
        decision=considered.verdict.ground,
        reason=considered.verdict.reason,
        relief_percent=round(gain.relief_percent, 1),
        relief_s=_rounded(gain.relief_s),
        heaviest_percent=round(gain.heaviest_percent, 1),
        heaviest_percent_planned=round(gain.heaviest_percent_planned, 1),
        moves=gain.moves,
        moved=planned_moves(considered.decision.plan, names),
        gain_record_s=None if gain.weighed is None else round(gain.weighed.gain),
        price_record_s=None if gain.weighed is None else round(gain.weighed.price),
    )
    return {**figures, "last_plan": plan}


def planned_moves(plan: Plan, names: Mapping[str, str]) -> tuple[StewardMove, ...]:
    """Return the moves of a plan, the largest lag first."""
    return tuple(
        StewardMove(
            one.topic,
            one.partition,
            names.get(one.source, one.source),
            names.get(one.target, one.target),
            one.lag,
        )
        for one in _heaviest_first(plan)[:MAX_MOVES]
    )


def _heaviest_first(plan: Plan) -> list[Move]:
    return sorted(plan.moves, key=lambda one: (-one.lag, one.topic, one.partition))


_MAX_NAMES: Final = 4
"""Members that a line names: the slowest ones, of which an operator wants to know."""


class SpeedReport:
    """Remembers what was reported last."""

    def __init__(self) -> None:
        self._reported: dict[str, float] = {}

    def report(self, speeds: Mapping[str, float], measured: Collection[str], rate: float) -> None:
        """Log the speeds, by member key in records per second, if they are not those of the last
        time. Those that are not `measured` are assumed. `rate` is that of the group."""
        now = {key: round(speed, 1) for key, speed in speeds.items()}
        if now == self._reported:
            return
        self._reported = now
        if not now:
            log_event(logging.INFO, "speeds", reason="no longer known; all members count as equal")
            return
        used = round(100.0 * rate / sum(now.values())) if set(now) <= set(measured) else ""
        log_event(logging.INFO, "speeds", reason=_by_speed(now, measured), used_percent=used)


def _by_speed(speeds: Mapping[str, float], measured: Collection[str]) -> str:
    """The members of each speed, the slowest first; the names of those that are few."""
    groups: dict[tuple[float, bool], list[str]] = {}
    for key in sorted(speeds):
        groups.setdefault((speeds[key], key not in measured), []).append(key)
    parts = []
    for (speed, is_assumed), members in sorted(groups.items()):
        few = len(groups) > 1 and len(members) <= _MAX_NAMES
        names = [client_id_in(key) or key for key in members]  # ids of brokers' making are long
        who = some_of(names, _MAX_NAMES) if few else f"{len(members)} members"
        least, without = ("at least ", ", never behind so far") if is_assumed else ("", "")
        parts.append(f"{who}: {least}{speed:,.1f} records/s{without}")
    return "; ".join(parts[: 2 * _MAX_NAMES])


_MAX_MOVES: Final = 12
"""Moves that a line has: those of a small group; more would not be read."""


def shown_moves(plan: Plan) -> str:
    """Return the moves of a plan: who gives which partition to whom, the heaviest lag first."""
    moves = _heaviest_first(plan)
    parts = [
        f"{one.topic}-{one.partition} {_name(one.source)} to {_name(one.target)}"
        for one in moves[:_MAX_MOVES]
    ]
    more = f" and {len(moves) - _MAX_MOVES:,} more" if len(moves) > _MAX_MOVES else ""
    return f"{', '.join(parts)}{more}"


def _name(member: str) -> str:
    return client_id_in(member) or member
