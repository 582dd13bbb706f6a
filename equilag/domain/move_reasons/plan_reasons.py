"""The reasons of a plan's moves, made when they are read: as columns, then one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Floats, Index, Ints, among, distinct
from equilag.domain.move_reasons.unit_moves import Loads, UnitMoves, unit_moves
from equilag.domain.move_reasons.unit_reasons import (
    CODE,
    MOVE_REASON_KINDS,
    MoveReason,
    MoveReasonKind,
    Partner,
    UnitReasons,
    unit_reasons,
)
from equilag.domain.plan.metrics import member_counts, moved
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction


class ReasonColumns(NamedTuple):
    """Of the moves [n], by partition."""

    kind: Ints
    """[n] index into MOVE_REASON_KINDS"""
    member: Ints
    """[n] whom the move serves"""
    amount: Floats | Ints
    """[n] by how much the chain lowers that member's load"""
    head: Ints
    """[n] the partition that comes first among the partners; -1 for none"""
    row: Ints
    """[n] the unit whose chain has the other partners; -1 for none"""


def unweighed_columns(
    reduction: Reduction, loads: Loads, assigned: Index, kind: MoveReasonKind
) -> ReasonColumns:
    """Of a plan that does not weigh moves: what the owners lose."""
    owner = reduction.given.owner
    partition = np.flatnonzero(moved(owner, assigned))
    source = owner[partition].astype(np.int64)
    none = np.full(len(partition), -1, dtype=np.int64)
    amount = loads.weight[partition] * loads.per_weight[source]
    return ReasonColumns(np.full(len(partition), CODE[kind]), source, amount, none, none)


def reason_columns(
    reduction: Reduction, rows: UnitMoves, found: UnitReasons, assigned: Index
) -> ReasonColumns:
    """Of a plan whose moves are classified by unit. O(P)."""
    given = reduction.given
    partition = np.flatnonzero(moved(given.owner, assigned))
    n = len(partition)
    kind = np.full(n, CODE["join"])
    amount: Floats | Ints = np.zeros(n)
    if found.amount.dtype == np.int64:  # lag, in whole records
        amount = np.zeros(n, np.int64)
    member = assigned[partition].astype(np.int64)
    head = np.full(n, -1, dtype=np.int64)
    row = rows.row_of.copy()
    led = np.flatnonzero(row >= 0)
    of = row[led]
    kind[led], member[led], amount[led] = found.kind[of], found.member[of], found.amount[of]
    head[led] = _heads(given.n_members, rows, found)[of]
    columns = ReasonColumns(kind, member, amount, head, row)
    if reduction.unit_of is not None:
        _follow_units(reduction, reduction.unit_of, rows, assigned, columns)
    return columns


def _follow_units(
    reduction: Reduction, unit_of: Ints, rows: UnitMoves, assigned: Index, columns: ReasonColumns
) -> None:
    """Tell which partitions follow others of their unit, or come together with them; and whose
    owner may not keep them."""
    given = reduction.given
    kind, member, amount, head, row = columns
    partition = np.flatnonzero(moved(given.owner, assigned))
    unit, source, target = unit_of[partition], given.owner[partition], assigned[partition]
    led = np.flatnonzero(row >= 0)
    follows = led[partition[led] != rows.partition[row[led]]]
    kind[follows], head[follows] = CODE["unit"], rows.partition[row[follows]]
    stays = distinct(unit_of[given.owner == assigned])
    joins = np.flatnonzero(among(unit, stays) | (rows.row_of < 0))
    kind[joins] = CODE["join"]
    head[joins] = _joined_to(reduction, unit_of, assigned, partition[joins])
    for some in (follows, joins):
        member[some], amount[some], row[some] = target[some], 0.0, -1
    unkept = ~reduction.group.may_hold(unit, source)
    kind[unkept], member[unkept], head[unkept] = CODE["restriction"], source[unkept], -1


def _heads(n_members: int, rows: UnitMoves, found: UnitReasons) -> Ints:
    """[U] the partition that the unit's move makes possible; -1 for none in particular."""
    head = np.full(len(rows.unit), -1, dtype=np.int64)
    exchange = found.kind == CODE["exchange"]
    head[exchange] = rows.partition[found.lead[exchange]]
    heaviest = np.full(n_members, -1, dtype=np.int64)
    ascending = np.argsort(rows.gained, kind="stable")
    heaviest[rows.target[ascending]] = rows.partition[ascending]
    room = found.kind == CODE["makes-room"]
    head[room] = heaviest[rows.source[room]]
    return head


def _joined_to(reduction: Reduction, unit_of: Ints, assigned: Index, partition: Ints) -> Ints:
    """[n] for each partition the first other one of its unit, one that stays if there is any."""
    stays = reduction.given.owner == assigned
    found = np.full(len(partition), -1, dtype=np.int64)
    wanted = {unit: place for place, unit in enumerate(unit_of[partition].tolist())}
    members: dict[int, list[int]] = {unit: [] for unit in wanted}
    for p in np.flatnonzero(np.isin(unit_of, list(wanted))).tolist():
        members[int(unit_of[p])].append(p)
    for place, p in enumerate(partition.tolist()):
        others = [q for q in members[int(unit_of[p])] if q != p]
        found[place] = next((q for q in others if stays[q]), others[0] if others else -1)
    return found


MAX_PARTNERS: Final = 3
"""Partners that a reason names: a cycle of four moves is the longest that is seen at a glance."""


class _Chained(NamedTuple):
    """The chains as lists, which single entries are read from more quickly."""

    partitions: list[int]
    """Those that move, chain by chain."""
    begin: list[int]
    """Where each chain begins in `partitions`."""
    chain_of: list[int]
    """By row of units, its chain."""
    place: list[int]
    """By row, its place in `partitions`."""
    closed: list[bool]
    """By row, True if its chain is a cycle."""
    place_of: dict[int, int]
    """Partition -> its place in `partitions`."""

    def ends(self, row: int) -> tuple[int, int, int]:
        """Where the chain of a row begins, its length, and the place of the row in the chain."""
        chain = self.chain_of[row]
        begin = self.begin[chain]
        return begin, self.begin[chain + 1] - begin, self.place[row] - begin


@dataclass(frozen=True, eq=False)
class PlanReasons:
    """Reasons by the number of the move in the plan; nothing is computed before one is read."""

    reduction: Reduction
    policy: Policy | None
    """None for the plan of a single assignor."""
    assigned: Index
    """[P]"""

    def reason(self, number: int) -> MoveReason:
        """Of one move; the moves of a plan are numbered by partition. O(1) after the first."""
        kind, members, amount, head, row = self._columns_read
        member = members[number]
        partners, more = self._partners(head[number], row[number])
        before, after, counts_before, counts_after = self._members
        return MoveReason(
            MOVE_REASON_KINDS[kind[number]],
            self.reduction.given.members[member].id,
            before[member],
            after[member],
            amount[number],
            counts_before[member],
            counts_after[member],
            partners,
            more,
        )

    def _partners(self, head: int, row: int) -> tuple[tuple[Partner, ...], int]:
        """`head` and other moves of the chain of a unit's row, and how many are left."""
        found, others = [head] if head >= 0 else [], 0
        if row >= 0:
            chained = self._chained
            begin, length, place = chained.ends(row)
            others = length - 1
            step = -1 if chained.closed[row] else 1  # in a cycle what comes back first
            near = (place + step * k for k in range(1, min(length, MAX_PARTNERS + 2)))
            around = [chained.partitions[begin + at % length] for at in near]
            others -= others > 0 and begin <= chained.place_of.get(head, -1) < begin + length
            found += [partition for partition in around if partition != head]
        name = self.reduction.given.partition_name
        shown = found[:MAX_PARTNERS]
        return tuple(map(name, shown)), others + (head >= 0) - len(shown)

    @property
    def chains(self) -> tuple[tuple[Partner, ...], ...]:
        """The partitions of each chain, in its order; a unit stands with its heaviest one. Empty
        where the policy does not weigh moves."""
        name, partitions = self.reduction.given.partition_name, self._chained.partitions
        return tuple(tuple(map(name, partitions[a:b])) for a, b in pairwise(self._chained.begin))

    @cached_property
    def _loads(self) -> Loads:
        return Loads.of(self.reduction, self.policy, self.assigned)

    @cached_property
    def _rows(self) -> UnitMoves:
        return unit_moves(self.reduction, self._loads.weight, self.assigned)

    @cached_property
    def _found(self) -> UnitReasons | None:
        """None where the policy does not weigh moves."""
        if self.policy is None or self.policy.fresh:
            return None
        return unit_reasons(self.reduction, self.policy, self._rows, self._loads)

    @cached_property
    def _columns(self) -> ReasonColumns:
        found = self._found
        if found is not None:
            return reason_columns(self.reduction, self._rows, found, self.assigned)
        kind: MoveReasonKind = "assignor" if self.policy is None else "fresh"
        return unweighed_columns(self.reduction, self._loads, self.assigned, kind)

    @cached_property
    def _columns_read(self) -> tuple[list[int], list[int], list[float], list[int], list[int]]:
        """The columns as lists, which single entries are read from more quickly."""
        kind, member, amount, head, row = self._columns
        return kind.tolist(), member.tolist(), amount.tolist(), head.tolist(), row.tolist()

    @cached_property
    def _members(self) -> tuple[list[float], list[float], list[int], list[int]]:
        """[M] loads before and after, counts before and after."""
        loads, rows = self._loads, self._rows
        after = member_counts(rows.assigned, self.reduction.given.n_members)
        return (
            loads.before.tolist(), loads.after.tolist(), rows.counts.tolist(), after.tolist(),
        )  # fmt: skip

    @cached_property
    def _chained(self) -> _Chained:
        if self._found is None:
            return _Chained([], [0], [], [], [], {})
        chains = self._found.chains
        place = np.empty_like(chains.order)
        place[chains.order] = np.arange(len(place))
        partitions: list[int] = self._rows.partition[chains.order].tolist()
        return _Chained(
            partitions,
            chains.begin.tolist(),
            chains.chain_of.tolist(),
            place.tolist(),
            chains.closed[chains.chain_of].tolist(),
            {partition: place for place, partition in enumerate(partitions)},
        )
