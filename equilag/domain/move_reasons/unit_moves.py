"""The moves of a plan as columns: partitions, the units that they belong to, and chains of moves.

In a chain each move begins where the one before ends. A chain that ends where it began leaves all
counts as they were: two partitions that change places, or a cyclic exchange. A path takes one
partition from its first member and gives one to its last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index, Ints, distinct
from equilag.domain.plan.extended_figures import loads_differ
from equilag.domain.plan.metrics import member_counts, member_loads, moved
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import Reduction

LOOKED_AT: Final = 8
"""Moves of a member that are looked at for a short cycle: an exchange of few partitions is seen at
a glance. Each costs a tenth of a microsecond per move."""


class Chain(NamedTuple):
    """Moves in a row, each of which begins where the one before ends."""

    moves: list[int]
    """A cycle begins with its heaviest one."""
    closed: bool
    """True for a cycle."""


def chains_of(source: Ints | Index, target: Ints | Index, weight: Ints) -> list[Chain]:
    """Cut moves [n] from `source` to `target` into chains. O(n log n).

    Partitions that change places between two members are paired first, the heaviest of both sides
    together. What is left is cut as Hierholzer's algorithm walks (1873): from members that give
    more partitions than they get, and then in cycles; the heaviest move of a member first,
    unless a lighter one closes a shorter cycle.
    """
    comes, goes, weights = source.tolist(), target.tolist(), weight.tolist()
    heavy_first: list[int] = np.argsort(-weight, kind="stable").tolist()
    between: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for move in heavy_first:
        between[comes[move], goes[move]].append(move)
    found = [
        Chain([forth, back] if weights[back] < weights[forth] else [back, forth], True)
        for (one, other), moves in sorted(between.items())
        if one < other
        for forth, back in zip(moves, between.get((other, one), ()), strict=False)
    ]
    paired = {move for pair in found for move in pair.moves}
    leaving: defaultdict[int, list[int]] = defaultdict(list)
    for move in reversed(heavy_first):
        if move not in paired:
            leaving[comes[move]].append(move)

    def walk(start: int) -> None:
        trail: list[int] = []
        member, place = start, {start: 0}
        while leaving[member]:
            move = leaving[member].pop(_nearest(leaving[member], goes, place))
            trail.append(move)
            member = goes[move]
            if member not in place:
                place[member] = len(trail)
                continue
            cut = place[member]
            cycle = trail[cut:]
            heaviest = cycle.index(max(cycle, key=weights.__getitem__))
            found.append(Chain(cycle[heaviest:] + cycle[:heaviest], True))
            for gone in cycle[:-1]:
                del place[goes[gone]]
            del trail[cut:]
        if trail:
            found.append(Chain(trail, False))

    givers = list(leaving)
    surplus = Counter(comes)
    surplus.subtract(goes)
    for member in sorted(surplus.elements()):
        walk(member)
    for member in givers:
        while leaving[member]:
            walk(member)
    return found


def _nearest(leaving: list[int], goes: list[int], place: dict[int, int]) -> int:
    """Where the move to take stands among the heaviest ones that leave a member: the one that
    closes the shortest cycle, else the heaviest."""
    found, latest = -1, -1
    for back in range(1, min(LOOKED_AT, len(leaving)) + 1):
        at = place.get(goes[leaving[-back]], -1)
        if at > latest:
            found, latest = -back, at
    return found


class Loads(NamedTuple):
    """What members carry, in the plan's unit."""

    weight: Ints
    """[P] lag, or weight."""
    per_weight: Floats | Ints
    """[M] load of one unit of `weight` at each member; 1 where lag is what is spread."""
    before: Floats | Ints
    """[M]"""
    after: Floats | Ints
    """[M]"""

    @staticmethod
    def of(reduction: Reduction, policy: Policy | None, assigned: Index) -> Loads:
        """Lag in records, or weight per unit of capacity, as `Plan.loads` has it."""
        group = reduction.given
        n_members = group.n_members
        capacities = reduction.capacities
        differ = loads_differ(reduction, policy)
        weight = reduction.partition_weight if differ else group.lag
        per_weight: Floats | Ints = np.ones(n_members, np.int64)
        if differ:
            per_weight = 1 / (capacities.values * reduction.weight_scale)
        before = member_loads(group.owner, weight, n_members) * per_weight
        after = member_loads(assigned, weight, n_members) * per_weight
        return Loads(weight, per_weight, before, after)


class UnitMoves(NamedTuple):
    """The units [U] that change hands; of plain groups each is a partition."""

    gone: Ints
    """[n] the partitions that move"""
    unit: Ints
    """[U] ascending"""
    source: Index
    """[U] who had most of it"""
    target: Index
    """[U]"""
    lost: Ints
    """[U] weight that the source gives"""
    gained: Ints
    """[U] weight that the target gets"""
    partition: Ints
    """[U] its heaviest partition that the source had"""
    row_of: Ints
    """[n] row of each partition that moves; -1 where its unit stays, or comes from another member
    than `source`."""
    assigned: Index
    """[units] the member of every unit under the plan"""
    counts: Ints
    """[M] units per member, before the moves and with those placed that nobody owned."""


def unit_moves(reduction: Reduction, weight: Ints, assigned: Index) -> UnitMoves:
    """The units that change hands, for an assignment [P] of the given group. O(P log P).

    The source of a unit is its owner in the reduced group; where nobody may keep it, the owner of
    its first partition. A unit that the source had nothing of, or that it keeps, has no row.
    """
    given, n_members = reduction.given, reduction.given.n_members
    gone = np.flatnonzero(moved(given.owner, assigned))
    of_units = reduction.collapse(assigned)
    unit_of = np.arange(len(weight)) if reduction.unit_of is None else reduction.unit_of
    main = reduction.group.owner
    main = np.where(main != NOBODY, main, reduction.collapse(given.owner))
    mine = given.owner[gone] == main[unit_of[gone]]
    given_away = gone[mine]
    unit = distinct(unit_of[given_away])
    row = np.full(len(main), -1, dtype=np.int64)
    row[unit] = np.arange(len(unit))
    lost, gained = np.zeros((2, len(unit)), dtype=np.int64)
    np.add.at(lost, row[unit_of[given_away]], weight[given_away])
    new = np.flatnonzero((row[unit_of] >= 0) & (given.owner != assigned))
    np.add.at(gained, row[unit_of[new]], weight[new])
    heaviest = np.zeros(len(unit), dtype=np.int64)
    ascending = given_away[np.argsort(weight[given_away], kind="stable")]
    heaviest[row[unit_of[ascending]]] = ascending
    row_of = np.where(mine, row[unit_of[gone]], -1)
    source, target = main[unit], of_units[unit]
    counts = member_counts(of_units, n_members)
    counts += member_counts(source, n_members) - member_counts(target, n_members)
    return UnitMoves(gone, unit, source, target, lost, gained, heaviest, row_of, of_units, counts)
