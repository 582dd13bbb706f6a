"""What the reasons of all moves say, as columns by partition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats, Index, Ints, among, distinct
from equilag.domain.move_reasons.reason import MoveReasonKind
from equilag.domain.move_reasons.unit_moves import Loads, UnitMoves
from equilag.domain.move_reasons.unit_reasons import CODE, UnitReasons
from equilag.domain.plan.metrics import moved
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
