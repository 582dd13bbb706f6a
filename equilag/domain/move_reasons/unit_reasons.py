"""The reason of a move, as data, and what each unit that changes hands serves, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from equilag.domain.columns import Flags, Index, Ints
from equilag.domain.group.group import Group
from equilag.domain.move_reasons.unit_moves import Chain, Loads, UnitMoves
from equilag.domain.plan.metrics import topic_counts
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import DEFAULT_TOLERANCE
from equilag.domain.reduction.reduce import Reduction

MoveReasonKind = Literal[
    "restriction", "join", "unit", "racks", "room", "counts", "relief", "makes-room", "exchange",
    "other", "fresh", "assignor",
]  # fmt: skip
"""What a move serves. The first that applies:

- ``fresh``: the plan was made as if nobody owned anything, so that no move has a reason.
- ``assignor``: the assignor's own choice; it weighs no moves.
- ``restriction``: its owner may not keep it (a pin, `allowed`, topics that belong together).
- ``join``: partitions of its co-partitioned unit were with several members.
- ``unit``: it moves along with a heavier partition of its co-partitioned unit.
- ``racks``: its owner reads it across racks, its new member does not.
- ``room``: the first member of its chain has more partitions than it has room for.
- ``counts``: its chain makes counts more even, and lowers the load of its first member by less than
  a hundredth.
- ``relief``: its owner, whose load falls, gives more than it gets back in its chain.
- ``makes-room``: the same of an owner whose load rises: it takes something heavier elsewhere.
- ``exchange``: what its owner gets back in its chain weighs as much or more.
- ``other``: none of these by itself.
"""
MOVE_REASON_KINDS: Final[tuple[MoveReasonKind, ...]] = get_args(MoveReasonKind)

Partner: TypeAlias = tuple[str, int]
"""Topic and number of a partition that moves as well."""


@dataclass(frozen=True, slots=True)
class MoveReason:
    """What one move serves. Loads are in the plan's unit: lag, or weight per unit of capacity."""

    kind: MoveReasonKind
    member: str
    """Whom it serves: the member that the chain relieves, whose counts or room it is about, or
    whose restriction; of ``join``, ``unit`` and ``racks`` the new member."""
    before: float
    """Load of `member` under the current assignment."""
    after: float
    """Load of `member` under the plan."""
    amount: float
    """By how much the chain lowers the load of `member`; negative if it rises. 0 for the kinds
    that have no chain."""
    partitions_before: int
    """Partitions of `member`, or units; those that nobody owned are counted as placed already."""
    partitions_after: int
    partners: tuple[Partner, ...] = ()
    """Other moves of the chain. The first is what the owner gets back; of ``exchange`` what it is
    for, of ``makes-room`` the heaviest partition that `member` gets, of ``unit`` and ``join`` one
    that it goes with."""
    more_partners: int = 0
    """Moves of the chain beyond `partners`."""

    def to_dict(self) -> dict[str, Any]:
        """The reason in a plan's JSON; without what there is none of."""
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        known["partners"] = [list(partner) for partner in self.partners]
        optional = "partners", "more_partners"
        return {name: it for name, it in known.items() if it or name not in optional}


PathNeed: TypeAlias = Literal["room", "counts"]


class CountOrder:
    """The counts of members while paths are carried out one after the other.

    A path makes counts more even if it lowers the sum of squared counts per capacity, that of
    instances first; where topics count one by one, of its topic.
    """

    def __init__(self, reduction: Reduction, policy: Policy, rows: UnitMoves) -> None:
        group, extended = reduction.group, reduction.group.extended
        self._room = extended.room.tolist()
        # Who counts together, their counts and capacities: of instances, then of members.
        self._levels: list[list[list[int]]] = []
        for of in (extended.instance_of, np.arange(group.n_members)):
            if of is not None:
                sums = (np.bincount(of, one) for one in (rows.counts, extended.capacity))
                self._levels.append([of.tolist(), *(one.astype(int).tolist() for one in sums)])
        self._totals = policy.balance != "per-topic" and policy.balance != "none"
        self._in_topic = _topic_counts(group, rows) if policy.minds_topics else None

    def need(self, source: int, target: int, topic: int) -> PathNeed | None:
        """What a path from one member to another is needed for; None if neither room nor counts
        need it."""
        if self._levels[-1][1][source] > self._room[source]:
            return "room"
        if self._in_topic is not None:
            here = self._in_topic
            if here[topic, source] - here[topic, target] > 1:
                return "counts"
        return "counts" if self._totals and self._evens_totals(source, target) else None

    def _evens_totals(self, source: int, target: int) -> bool:
        for of, counts, capacity in self._levels:
            a, b = of[source], of[target]
            gain = (2 * counts[a] - 1) * capacity[b] - (2 * counts[b] + 1) * capacity[a]
            if a != b and gain:
                return gain > 0
        return False

    def carry_out(self, source: int, target: int, topic: int) -> None:
        """Take a partition from one member, and give it to another."""
        for member, step in ((source, -1), (target, 1)):
            for of, counts, _ in self._levels:
                counts[of[member]] += step
            if self._in_topic is not None:
                self._in_topic[topic, member] += step


def _topic_counts(group: Group, rows: UnitMoves) -> Index:
    """[T, M] partitions before the moves."""
    found, topic = topic_counts(group, rows.assigned), group.topic_of[rows.unit]
    np.add.at(found, (topic, rows.source), 1)
    np.subtract.at(found, (topic, rows.target), 1)
    return found


NOTED: Final = DEFAULT_TOLERANCE / 100
"""Part of a load from which on it is noted: that a move relieves a member, whatever it does to
counts, or that a bound is above the mean. It is what the default tolerance gives away."""


class MoveCause(NamedTuple):
    """What a move serves, by numbers."""

    kind: MoveReasonKind
    member: int
    """Whom the move serves."""
    amount: float
    """By how much the chain lowers that member's load."""
    head: int = -1
    """The partition that comes first among the partners; -1 for none."""
    row: int = -1
    """The unit that moves; -1 for a partition of one that stays."""
    chain: Chain | None = None
    """That of the unit, which has the other partners."""


def unit_reasons(
    reduction: Reduction, policy: Policy, rows: UnitMoves, loads: Loads, chains: Sequence[Chain]
) -> list[MoveCause]:
    """[U] what the moves of units serve. O(U log U)."""
    before = np.full(len(rows.unit), -1)
    for moves, closed in chains:
        before[moves] = [moves[-1] if closed else -1, *moves[:-1]]
    back = np.where(before >= 0, rows.gained[before], 0)
    drops: list[float] = ((rows.lost - back) * loads.per_weight[rows.source]).tolist()
    falls = (loads.after < loads.before)[rows.source].tolist()
    source, partition = rows.source.tolist(), rows.partition.tolist()
    light_first = np.argsort(rows.gained, kind="stable")
    heaviest = dict(zip(rows.target[light_first].tolist(), light_first.tolist(), strict=True))
    reasons: dict[int, MoveCause] = {}
    for chain in chains:
        lead = max(chain.moves, key=lambda move: (drops[move], move))
        for move in chain.moves:
            whose, head = move, -1
            if drops[move] > 0:
                kind: MoveReasonKind = "relief" if falls[move] else "makes-room"
                if not falls[move] and source[move] in heaviest:
                    head = partition[heaviest[source[move]]]
            elif len(chain.moves) > 1:
                kind, whose, head = "exchange", lead, partition[lead]
            else:
                kind = "other"
            reasons[move] = MoveCause(kind, source[whose], drops[whose], head, move, chain)
    _mark_paths(reduction, policy, rows, loads, chains, reasons)
    marks: tuple[tuple[MoveReasonKind, Flags], ...] = (
        ("racks", _leaves_other_rack(reduction, policy, rows)),
        ("restriction", ~reduction.group.may_hold(rows.unit, rows.source)),
    )
    for kind, flags in marks:
        for move in np.flatnonzero(flags).tolist():
            served = kind, source[move], drops[move]
            reasons[move] = MoveCause(*served, row=move, chain=reasons[move].chain)
    return [reasons[move] for move in range(len(source))]


def nodes_of(
    reduction: Reduction, policy: Policy, rows: UnitMoves
) -> tuple[Ints | Index, Ints | Index]:
    """[U] where moves begin and end: members, or members within a topic that counts by itself."""
    if not policy.counts_topics:
        return rows.source, rows.target
    topic = reduction.group.topic_of[rows.unit] * np.int64(reduction.group.n_members)
    return rows.source + topic, rows.target + topic


def _mark_paths(
    reduction: Reduction,
    policy: Policy,
    rows: UnitMoves,
    loads: Loads,
    chains: Sequence[Chain],
    reasons: dict[int, MoveCause],
) -> None:
    """Mark the moves of paths that counts or room need; light ones first."""
    order = CountOrder(reduction, policy, rows)
    topics = reduction.group.topic_of[rows.unit].tolist()
    source, target, lost = rows.source.tolist(), rows.target.tolist(), rows.lost.tolist()
    paths = (chain.moves for chain in chains if not chain.closed)
    for moves in sorted(paths, key=lambda moves: lost[moves[0]]):
        first = moves[0]
        step = source[first], target[moves[-1]], topics[first]
        served, need = reasons[first], order.need(*step)
        small = served.amount <= NOTED * loads.before[source[first]]
        if need == "room" or (need == "counts" and small):
            for move in moves:
                reasons[move] = served._replace(kind=need, member=source[first], head=-1, row=move)
        order.carry_out(*step)


def _leaves_other_rack(reduction: Reduction, policy: Policy, rows: UnitMoves) -> Flags:
    """[U] True if the source reads more of the unit across racks than the target."""
    group = reduction.group
    if not policy.minds_racks or not group.extended.has_racks:
        return np.zeros(len(rows.unit), dtype=np.bool_)
    cost, of_unit = group.extended.cross_costs, group.partition_class[rows.unit]
    before = cost[of_unit, group.class_of[rows.source]]
    found: Flags = before > cost[of_unit, group.class_of[rows.target]]
    return found
