"""Every partition of a plan in columns, and the flows of what changes hands between members."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.report.facts.extended_group import whole
from equilag.report.wording.words import natural_key


@dataclass(frozen=True, slots=True)
class MoveGroupFacts:
    """Moves from one member, to one other or to several."""

    source: str
    targets: tuple[str, ...]
    """In natural order."""
    moves: int
    lag: int


def moves_by_pair(moves: Sequence[Move]) -> tuple[MoveGroupFacts, ...]:
    """A group for every two members that partitions move between, the largest lag first."""
    return _grouped(moves, lambda move: (move.source, move.target))


def moves_by_source(moves: Sequence[Move]) -> tuple[MoveGroupFacts, ...]:
    """A group for every member that partitions move from, the largest lag first."""
    return _grouped(moves, lambda move: (move.source,))


def _grouped(
    moves: Sequence[Move], key: Callable[[Move], tuple[str, ...]]
) -> tuple[MoveGroupFacts, ...]:
    found: dict[tuple[str, ...], list[Move]] = {}
    for move in moves:
        found.setdefault(key(move), []).append(move)
    groups = [
        MoveGroupFacts(
            some[0].source,
            tuple(sorted({move.target for move in some}, key=natural_key)),
            len(some),
            sum(move.lag for move in some),
        )
        for some in found.values()
    ]
    return tuple(
        sorted(
            groups,
            key=lambda g: (-g.lag, -g.moves, natural_key(g.source), [*map(natural_key, g.targets)]),
        )
    )


MAX_FLOWS: Final = 20
"""Flows that a picture shows: in one of a screen's height each has room for its name."""


@dataclass(frozen=True, slots=True)
class PartitionColumns:
    """Every partition; the columns have one entry each. Names stand once, since groups of thousands
    of partitions are to fit into a page."""

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


@dataclass(frozen=True, slots=True)
class FlowFacts:
    """What one member gives to another."""

    source: str
    target: str
    partitions: int
    lag: int


@dataclass(frozen=True, slots=True)
class FlowsFacts:
    rows: tuple[FlowFacts, ...]
    """The largest lag first; of many the first MAX_FLOWS."""
    others: int
    """Flows that are not among the rows."""
    other_partitions: int
    other_lag: int


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


def flows_of(moves: tuple[Move, ...]) -> FlowsFacts:
    rows = [
        FlowFacts(flow.source, flow.targets[0], flow.moves, flow.lag)
        for flow in moves_by_pair(moves)
    ]
    others = rows[MAX_FLOWS:]
    return FlowsFacts(
        tuple(rows[:MAX_FLOWS]),
        len(others),
        sum(flow.partitions for flow in others),
        sum(flow.lag for flow in others),
    )
