"""Every partition of a plan in columns, and what changes hands between members."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.figures import natural_key
from equilag.domain.move_reasons.unit_reasons import (
    MOVE_REASON_KINDS,
    MoveReason,
    MoveReasonKind,
    Partner,
)
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.domain.show import plural
from equilag.planner.facts.plan import whole

MIN_MOVES: Final = 2
"""Moves per pair of members, on average, below which a row for every pair says little."""


class FlowFacts(NamedTuple):
    """What one member gives to another, or to several."""

    source: str
    target: str
    """``3 members`` where there are several."""
    partitions: int
    lag: int


def flows_by_pair(moves: Sequence[Move]) -> tuple[FlowFacts, ...]:
    """A flow for every two members that partitions move between, the largest lag first."""
    return _flows(moves, lambda move: (move.source, move.target))


def flows_that_say_most(moves: Sequence[Move]) -> tuple[FlowFacts, ...]:
    """The flows by pair; by the member that gives where pairs are many."""
    pairs = flows_by_pair(moves)
    return pairs if len(moves) >= MIN_MOVES * len(pairs) else _flows(moves, lambda m: m.source)


def _flows(moves: Sequence[Move], of: Callable[[Move], object]) -> tuple[FlowFacts, ...]:
    found: defaultdict[object, list[Move]] = defaultdict(list)
    for move in moves:
        found[of(move)].append(move)
    flows = []
    for some in found.values():
        targets = {move.target for move in some}
        target = some[0].target if len(targets) == 1 else plural(len(targets), "member")
        flows.append(FlowFacts(some[0].source, target, len(some), sum(m.lag for m in some)))
    return tuple(
        sorted(
            flows,
            key=lambda f: (-f.lag, -f.partitions, natural_key(f.source), natural_key(f.target)),
        )
    )


def sorted_moves(plan: Plan) -> tuple[Move, ...]:
    """The largest lag first: a move pauses its partition."""
    return tuple(sorted(plan.moves, key=lambda m: (-m.lag, natural_key(m.topic), m.partition)))


@dataclass(frozen=True, slots=True)
class PartitionColumns:
    """Every partition; the columns have one entry each. Names stand once, since groups have
    thousands of partitions."""

    topics: tuple[str, ...]
    members: tuple[str, ...]
    topic: tuple[int, ...]
    """Number in `topics`."""
    partition: tuple[int, ...]
    lag: tuple[int, ...]
    weight: tuple[float, ...] | None
    """What is spread; None where that is the lag."""
    before: tuple[int, ...]
    """Number in `members` of the owner; -1 for nobody."""
    after: tuple[int, ...]
    """The same under the plan."""


def partition_columns(plan: Plan) -> PartitionColumns:
    group, planned = plan.group, plan.planned
    weight = None
    if planned.weights is not None:
        weights = (planned.partition_weight / planned.weight_scale).tolist()
        weight = tuple(map(whole, weights))
    first = group.topic_start[group.topic_of]
    return PartitionColumns(
        topics=tuple(group.topics),
        members=tuple(member.id for member in group.members),
        topic=tuple(group.topic_of.tolist()),
        partition=tuple((np.arange(group.n_partitions) - first).tolist()),
        lag=tuple(group.lag.tolist()),
        weight=weight,
        before=tuple(group.owner.tolist()),
        after=tuple(plan.assigned.tolist()),
    )


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
