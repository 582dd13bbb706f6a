"""The moves of a plan by what they serve: a member that they relieve, or a rule."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from equilag.domain.move_reasons.unit_reasons import (
    MOVE_REASON_KINDS,
    MoveReason,
    MoveReasonKind,
    Partner,
)
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan

RANK: Final = {kind: rank for rank, kind in enumerate(MOVE_REASON_KINDS)}
"""Moves that make one exchange, or one path from member to member, serve what the first kind of
them does."""
OF_MEMBERS: Final = frozenset({"relief", "makes-room", "counts", "room"})
"""Kinds that are about the load of one member."""


@dataclass(frozen=True, slots=True)
class ServedFacts:
    """What the moves are for that serve one member in one way."""

    kind: MoveReasonKind
    member: str
    """Empty where the moves serve several members: kinds that are about no load."""
    reason: MoveReason
    """Of the first move: the loads and partitions of the member before and after."""
    moves: tuple[Move, ...]
    """With those in exchange; the largest lag first."""


def served_facts(plan: Plan) -> tuple[ServedFacts, ...]:
    """The moves of a plan by kind and by the member that they serve, the largest relief first."""
    by_name = {(move.topic, move.partition): move for move in plan.moves}
    lead: dict[Partner, MoveReason] = {}
    for chain in plan.reasons.chains:
        reasons = {name: by_name[name].reason for name in chain}
        joined = {name for name, reason in reasons.items() if reason.kind == "join"}
        others = [reason for name, reason in reasons.items() if name not in joined]
        if others:
            first = min(others, key=lambda one: (RANK[one.kind], -one.amount))
            lead |= dict.fromkeys(reasons.keys() - joined, first)
    groups: defaultdict[tuple[MoveReasonKind, str], list[Move]] = defaultdict(list)
    first_of: dict[tuple[MoveReasonKind, str], MoveReason] = {}
    for name, move in by_name.items():
        of = move.reason.partners[0] if move.reason.kind == "unit" else name
        reason = lead.get(of, by_name[of].reason)
        key = reason.kind, reason.member if reason.kind in OF_MEMBERS else ""
        groups[key].append(move)
        if key not in first_of or reason.amount > first_of[key].amount:
            first_of[key] = reason
    made = (
        ServedFacts(*key, first_of[key], tuple(sorted(moves, key=lambda move: -move.lag)))
        for key, moves in groups.items()
    )
    return tuple(sorted(made, key=_order))


def _order(served: ServedFacts) -> tuple[object, ...]:
    """Reliefs first, which are what a plan is made for, the largest of them at the top."""
    rank = -1 if served.kind == "relief" else RANK[served.kind]
    return rank, served.reason.after - served.reason.before, served.member
