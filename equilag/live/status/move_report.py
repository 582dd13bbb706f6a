"""The moves of a plan as one line of the log."""

from __future__ import annotations

from typing import Final

from equilag.domain.plan.plan import Plan
from equilag.live.rebalance.joined_members import client_id_in

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
