"""What planning has to know of members and moves: capacities, room, instances, racks, units."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Index, Ints
from equilag.domain.group.member_capacities import Load, MemberCapacities


class MoveUnit(NamedTuple):
    """How a sum of prices is read."""

    moves: int = 1
    """More than all moves: this much stands for one of the weights, what is left counts moves."""
    scale: int = 1
    """So many of the weights, which are whole numbers, make one unit."""

    def weight(self, price: int) -> Load:
        """The moved weight, in its unit."""
        whole = price // self.moves
        return whole if self.scale == 1 else Fraction(whole, self.scale)

    def count(self, price: int) -> int:
        """The moved partitions."""
        return price % self.moves

    def price(self, weight: Load, count: int) -> int:
        """The price of so many moves of this weight."""
        return int(weight * self.scale) * self.moves + count

    def limit(self, weight: int) -> int:
        """The highest price of moves of at most this weight."""
        return self.price(weight, self.moves - 1)


NO_LIMIT: Final = 2**40
"""The room of a member without a limit: above any number of partitions, and sums stay exact."""


class Stakes(NamedTuple):
    """Who holds how many of the partitions of each unit, or what moving those costs; one row for
    each unit and owner."""

    unit: Ints
    """Ascending."""
    member: Ints
    """Ascending within a unit."""
    number: Ints
    """1 or more."""

    def where(self, rows: Flags) -> Stakes:
        """Some of the rows."""
        return Stakes(*(column[rows] for column in self))

    def largest(self, n_units: int) -> tuple[Index, Ints]:
        """[units] the member with most of each unit, the first of several, and how many it holds;
        NOBODY and 0 of a unit without a row."""
        order = np.lexsort((-self.member, self.number, self.unit))  # the largest comes last
        holder = np.full(n_units, NOBODY, dtype=np.int32)
        number = np.zeros(n_units, dtype=np.int64)
        unit = self.unit[order]
        holder[unit], number[unit] = self.member[order], self.number[order]
        return holder, number


def stakes_of(unit: Ints, owner: Index, price: Ints) -> Stakes:
    """The stakes of owners [held] in units, of partitions that cost `price` to move."""
    width = int(owner.max(initial=0)) + 1
    key, row = np.unique(unit * width + owner, return_inverse=True)
    number = np.zeros(len(key), dtype=np.int64)
    np.add.at(number, row.ravel(), price)
    return Stakes(key // width, key % width, number)


class ExtendedColumns(NamedTuple):
    """Shapes as in `Group`, whose partitions are units here."""

    capacity: Ints
    """[M] what the shares of the hard counts rest on: integers of at most 3 significant digits,
    divided by their greatest common divisor."""
    capacity_unit: float
    """What a capacity of 1 stands for there, in the unit of the group's members."""
    capacities: MemberCapacities
    """As given: what loads are compared by."""
    room: Ints
    """[M] most units that a member may take, or NO_LIMIT."""
    instance_of: Index | None = None
    """[M] the instance that a member is a thread of; None where each is its own."""
    cross: Ints | None = None
    """[C, K] partitions of a unit of class c that a member of class k reads across racks; None
    where racks do not matter."""
    weight_scale: int | None = None
    """This much of the reduced group's `lag` is one unit of weight; None where it is lag."""
    stakes: Stakes | None = None
    """None where no unit has several partitions, and each move costs 1: then each owned one has one
    owner's stake of 1."""
    move_unit: MoveUnit | None = None
    """How sums of stakes are read where moves have a weight; None where they are counted."""
    has_units: bool = False
    """True if topics are co-partitioned, so that a unit may have several partitions."""
    forced_moves: int = 0
    """Owned partitions that their owner may not keep under any plan, where `stakes` is None."""

    @staticmethod
    @lru_cache(1)
    def plain(n_members: int) -> ExtendedColumns:
        """Of members that are all the same, without a limit on their room. Most groups are so, and
        a group is often planned again: the columns may be those of another one, and are read-only.
        """
        capacity, room = np.ones(n_members, np.int64), np.full(n_members, NO_LIMIT)
        capacities = MemberCapacities.equal(n_members)
        for shared in (capacity, room, capacities.kind_of):
            shared.flags.writeable = False
        return ExtendedColumns(capacity, 1.0, capacities, room)

    @property
    def equal_capacities(self) -> bool:
        """True if all members have the same capacity."""
        return not len(self.capacity) or int(self.capacity.max()) == 1 == int(self.capacity.min())

    @property
    def has_capacities(self) -> bool:
        """True if members differ in capacity, so that loads are compared per unit of it."""
        return not self.capacities.are_equal

    @property
    def has_racks(self) -> bool:
        """True if reads across racks matter."""
        return self.cross is not None

    @property
    def cross_costs(self) -> Ints:
        """[C, K] partitions of a unit that are read across racks, where racks matter."""
        if self.cross is None:
            raise ValueError("racks do not matter here")
        return self.cross

    @property
    def has_stakes(self) -> bool:
        """True if a unit may have several owners, so that a move of it may count as several."""
        return self.stakes is not None

    @property
    def move_cost_scale(self) -> int:
        """What one unit of a move cost is in loads as they are compared: a record, or a unit of
        weight, at a member of the largest capacity."""
        return self.weight_scale or 1

    def moved_weight(self, moves: int) -> Load:
        """The moved weight of what `count_moves` gives: the moves themselves where each counts
        1."""
        return moves if self.move_unit is None else self.move_unit.weight(moves)

    def moved_partitions(self, moves: int) -> int:
        """The moved partitions of what `count_moves` gives."""
        return moves if self.move_unit is None else self.move_unit.count(moves)

    @property
    def load_divisor(self) -> float | None:
        """What loads as they are compared are divided by to be weight per unit of capacity; None
        where they are records of lag."""
        if self.weight_scale is None and self.capacities.are_equal:
            return None
        return float(self.capacities.largest * (self.weight_scale or 1))

    @property
    def has_room_limits(self) -> bool:
        """True if any member's room is limited."""
        return bool((self.room < NO_LIMIT).any())

    @property
    def shapes_counts(self) -> bool:
        """True if the most even counts differ from those of members that are all the same."""
        return self.instance_of is not None or self.has_room_limits or not self.equal_capacities
