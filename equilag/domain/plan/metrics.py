"""Counts, loads and moves of an assignment; every room takes the figures from here.

An assignment is an array [P] of member numbers, NOBODY where a partition has no subscriber.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Floats, Group, Index, Ints
from equilag.domain.group.loads import MemberLoads
from equilag.domain.group.member_capacities import MemberCapacities

MOST_PARTS: Final = 10**300
"""Denominators up to which an exact sum of fractions is kept: claims have 1,000 digits at most."""


def member_counts(assigned: Index, n_members: int) -> Ints:
    """[M] partitions per member."""
    # NOBODY is −1 and becomes the first of the counts, which is dropped.
    return np.bincount(assigned + 1, minlength=n_members + 1)[1:].astype(np.int64, copy=False)


def topic_counts(group: Group, assigned: Index) -> Index:
    """[T, M] partitions of each topic at each member, for an assignment [P]."""
    n_topics, n_members = len(group.topics), group.n_members
    table = np.zeros(n_topics * n_members, np.int32)
    held = np.flatnonzero(assigned != NOBODY)
    # Ten times as fast as by topic and member, and as with a 1 of 64 bits.
    np.add.at(table, group.topic_of[held] * np.int64(n_members) + assigned[held], np.int32(1))
    return table.reshape(n_topics, n_members)


def member_loads(assigned: Index, lag: Ints, n_members: int) -> Ints:
    """[M] lag per member, in exact integers (a weighted bincount would go through floats)."""
    loads = np.zeros(n_members + 1, dtype=np.int64)
    np.add.at(loads, assigned, lag)  # NOBODY is −1, the last one, which is dropped
    return loads[:-1]


def member_sums(values: Floats, owner: Index, n_members: int) -> Floats:
    """[M] the sum of a column [P] over the partitions of each member; without what nobody owns."""
    held = owner != NOBODY
    if held.all():
        return np.bincount(owner, values, n_members).astype(np.float64)
    return np.bincount(owner[held], values[held], n_members).astype(np.float64)


def alike(values: Ints, idle: Flags) -> MemberLoads:
    """A figure [M] of members, whatever their capacities, with its extremes and mean."""
    active = np.flatnonzero(~idle).astype(np.int32)
    return MemberLoads(values, MemberCapacities.equal(len(values)), active)


def spread(values: Ints, idle: Flags) -> int:
    """Maximum minus minimum over the members that are not idle; 0 if all are idle."""
    return int(alike(values, idle).spread)


def topic_squares(group: Group, assigned: Index) -> Fraction:
    """Σ over topics and members of count² / capacity, those that the shares of counts rest on; it
    is rounded down where it has too many digits."""
    squares = (topic_counts(group, assigned).astype(np.int64) ** 2).sum(axis=0)
    kinds, of = np.unique(group.extended.capacity, return_inverse=True)
    sums = np.zeros(len(kinds), np.int64)
    np.add.at(sums, of.ravel(), squares)
    parts = (Fraction(*part) for part in zip(sums.tolist(), kinds.tolist(), strict=True))
    found = sum(parts, Fraction(0))
    return found if found.denominator < MOST_PARTS else Fraction(int(found * 2**40), 2**40)


def loads_of(group: Group, assigned: Index) -> MemberLoads:
    """The loads as they are compared, exactly."""
    weight = member_loads(assigned, group.lag, group.n_members)
    active = np.flatnonzero(~group.idle).astype(np.int32)
    return MemberLoads(weight, group.extended.capacities, active)


def fair_load(group: Group) -> Fraction:
    """What every member that is not idle carries if all are equally loaded, whoever has what; as
    loads are compared."""
    capacities = group.extended.capacities
    return capacities.fair(int(group.lag[group.assignable].sum()), capacities.kind_of[~group.idle])


def mean_load(group: Group) -> float:
    """`fair_load` as a float."""
    return float(fair_load(group))


def moved(owner: Index, assigned: Index) -> Flags:
    """[P] partitions that a live, still subscribed owner loses."""
    lost: Flags = (owner != NOBODY) & (owner != assigned)
    return lost


def count_moves(group: Group, assigned: Index) -> int:
    """Number of partitions that a live, still subscribed owner loses; of a reduced group whose
    moves have a weight, the sum of their prices."""
    extended = group.extended
    if extended.stakes is None:
        return int(np.count_nonzero(moved(group.owner, assigned))) + extended.forced_moves
    unit, member, number = extended.stakes
    return int(number[assigned[unit] != member].sum())


def counting_moves(group: Group) -> Group:
    """The reduced group with moves that count 1 each; the same one where they do."""
    extended, unit = group.extended, group.extended.move_unit
    if unit is None or extended.stakes is None:
        return group
    stakes = extended.stakes._replace(number=extended.stakes.number % unit.moves)
    return replace(group, reduced=extended._replace(stakes=stakes, move_unit=None))


def most_moves(group: Group) -> int:
    """No plan has more: all that owners may keep, and what they may not."""
    return group.extended.forced_moves + int(np.count_nonzero(group.owner != NOBODY))


def cross_reads(group: Group, assigned: Index) -> int:
    """Partitions that an assignment of a reduced group with racks reads across racks."""
    held = np.flatnonzero(assigned != NOBODY)
    costs = group.extended.cross_costs
    return int(costs[group.partition_class[held], group.class_of[assigned[held]]].sum())


def is_ordinary(group: Group) -> bool:
    """True if planning has nothing to know of the group but what its partitions weigh."""
    extended = group.extended
    priced = extended.move_unit is not None and group.partition_classes is None
    by_price = priced and not extended.has_units  # then stakes are prices of single partitions
    plain = extended.cross is None and (extended.stakes is None or by_price)
    return plain and not (extended.forced_moves or extended.shapes_counts)


def stakes_held(group: Group, partitions: Ints, members: Ints | Index) -> Ints:
    """How many of a unit's partitions a member owns; the two are broadcast together.

    1 for the owner of a partition where no unit has several.
    """
    if group.extended.stakes is None:
        mine: Flags = group.owner[partitions] == members
        return mine.astype(np.int64)
    unit, member, number = group.extended.stakes
    key = unit * group.n_members + member  # ascending
    wanted = np.asarray(partitions * group.n_members + members)
    if not len(key):
        return np.zeros(wanted.shape, np.int64)
    place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    return np.where(key[place] == wanted, number[place], 0)


def moves_added(
    group: Group, partitions: Ints, holders: Ints | Index, receivers: Ints | Index
) -> Ints:
    """Moves that handing partitions from holders to receivers adds; negative for those it saves."""
    return stakes_held(group, partitions, holders) - stakes_held(group, partitions, receivers)


def is_valid(group: Group, assigned: Index) -> bool:
    """True if every partition that any member may take is assigned to exactly one member that may
    take it, and no other partition is assigned."""
    held = assigned != NOBODY
    if not np.array_equal(held, group.assignable):
        return False
    members = assigned[held]
    if len(members) and (members.min() < 0 or members.max() >= group.n_members):
        return False
    return bool(group.may_hold(np.flatnonzero(held), members).all())
