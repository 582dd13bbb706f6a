"""The moves of a plan by what they serve: chains of moves under the member that they relieve."""

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
"""The kind of a chain is the first of its moves' kinds."""


@dataclass(frozen=True, slots=True)
class ChainFacts:
    """Moves that make one exchange, or one path from a member to another."""

    moves: tuple[Move, ...]
    """The one that the chain is for comes first; the others go back in exchange, or pass on."""
    along: int
    """Partitions of co-partitioned units that move along."""

    @property
    def reason(self) -> MoveReason:
        """Of its first move."""
        return self.moves[0].reason


@dataclass(frozen=True, slots=True)
class ServedFacts:
    """What serves one member in one way."""

    kind: MoveReasonKind
    member: str
    """Empty where the moves serve several members: kinds that are about no load."""
    before: float
    """Load of the member under the current assignment; so is `partitions_before`."""
    after: float
    partitions_before: int
    partitions_after: int
    moves: int
    amount: float
    """By how much the chains lower the load of the member."""
    chains: tuple[ChainFacts, ...]
    """Those that lower it most come first."""


def served_facts(plan: Plan) -> tuple[ServedFacts, ...]:
    """The chains of a plan by kind and by the member that they serve, the largest relief first."""
    groups: defaultdict[tuple[MoveReasonKind, str], list[ChainFacts]] = defaultdict(list)
    for chain in _chains(plan):
        reason = chain.reason
        about_loads = reason.kind in ("relief", "makes-room", "counts", "room")
        groups[reason.kind, reason.member if about_loads else ""].append(chain)
    made = [_served(kind, member, chains) for (kind, member), chains in groups.items()]
    return tuple(sorted(made, key=lambda one: (_order(one.kind), -one.amount, one.member)))


def _order(kind: MoveReasonKind) -> int:
    """Reliefs first: they are what a plan is made for."""
    return -1 if kind == "relief" else RANK[kind]


def _served(kind: MoveReasonKind, member: str, chains: list[ChainFacts]) -> ServedFacts:
    ordered = sorted(chains, key=lambda chain: (-chain.reason.amount, -chain.moves[0].lag))
    first = ordered[0].reason
    return ServedFacts(
        kind,
        member,
        first.before,
        first.after,
        first.partitions_before,
        first.partitions_after,
        sum(len(chain.moves) + chain.along for chain in chains),
        sum(chain.reason.amount for chain in chains),
        tuple(ordered),
    )


def _chains(plan: Plan) -> list[ChainFacts]:
    by_name = {(move.topic, move.partition): move for move in plan.moves}
    along: defaultdict[Partner, int] = defaultdict(int)
    chained = {partner for chain in plan.reasons.chains for partner in chain}
    single = []
    for name, move in by_name.items():
        kind = move.reason.kind
        if kind == "unit":
            along[move.reason.partners[0]] += 1
        elif name not in chained or kind == "join":
            single.append(ChainFacts((move,), 0))
    found = []
    for chain in plan.reasons.chains:
        moves = [by_name[name] for name in chain if by_name[name].reason.kind != "join"]
        if not moves:
            continue
        lead = min(moves, key=lambda move: (RANK[move.reason.kind], -move.reason.amount))
        place = moves.index(lead)
        turned = (*moves[place:], *moves[:place])
        found.append(ChainFacts(turned, sum(along[name] for name in chain)))
    return found + single
