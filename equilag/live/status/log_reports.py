"""Reports the members' speeds in the log whenever they are newly known or change."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Final

from equilag.domain.plan.plan import Plan
from equilag.domain.show import some_of
from equilag.live.rebalance.joined_members import client_id_in
from equilag.live.status.event_log import log_event

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
        used = 100.0 * rate / sum(now.values())
        log_event(logging.INFO, "speeds", reason=_by_speed(now, measured), used_percent=round(used))


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
        assumed = " assumed, without a backlog so far" if is_assumed else ""
        parts.append(f"{who}: {speed:,.1f} records/s{assumed}")
    return "; ".join(parts[: 2 * _MAX_NAMES])


_MAX_MOVES: Final = 12
"""Moves that a line has: those of a small group; more would not be read."""


def shown_moves(plan: Plan) -> str:
    """Return the moves of a plan: who gives which partition to whom, the heaviest lag first."""
    moves = sorted(plan.moves, key=lambda one: (-one.lag, one.topic, one.partition))
    parts = [
        f"{one.topic}-{one.partition} {_name(one.source)} to {_name(one.target)}"
        for one in moves[:_MAX_MOVES]
    ]
    more = f" and {len(moves) - _MAX_MOVES:,} more" if len(moves) > _MAX_MOVES else ""
    return f"{', '.join(parts)}{more}"


def _name(member: str) -> str:
    return client_id_in(member) or member
