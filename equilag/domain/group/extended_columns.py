"""What a reduced group has beside a plain one: capacities, room, instances, racks, units."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Flags, Index, Ints

NO_LIMIT: Final = 2**40
"""The room of a member without a limit: above any number of partitions, and sums stay exact."""

MAX_SCALED: Final = 2**61
"""Scaled loads stay below this, so that the sum of two of them fits 63 bits."""


class Stakes(NamedTuple):
    """Who holds how many of the partitions of each unit; one row for each unit and owner."""

    unit: Ints
    """Ascending."""
    member: Ints
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


class ExtendedColumns(NamedTuple):
    """Shapes as in `Group`, whose partitions are units here."""

    capacity: Ints
    """[M] integers of at most 3 significant digits, divided by their greatest common divisor."""
    capacity_unit: float
    """What a capacity of 1 stands for, in the unit of the group's members."""
    load_factor: Ints
    """[M] a load times this is a *scaled load*, which is comparable between members; all 1 where
    capacities are equal."""
    load_scale: int
    """Scaled load of one record per unit of capacity."""
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
    """None where no unit has several partitions: then each owned one has one owner's stake of 1."""
    forced_moves: int = 0
    """Owned partitions that their owner may not keep under any plan, where `stakes` is None."""

    @property
    def equal_capacities(self) -> bool:
        """True if all members have the same capacity."""
        return not len(self.capacity) or int(self.capacity.max()) == 1 == int(self.capacity.min())

    @property
    def load_divisor(self) -> float | None:
        """What scaled loads are divided by to be weight per unit of capacity; None where they are
        records of lag."""
        if self.weight_scale is None and self.equal_capacities:
            return None
        return self.load_scale * self.capacity_unit * (self.weight_scale or 1)

    @property
    def only_weighs(self) -> bool:
        """True if nothing but weights differ from a plain group."""
        nothing = self.instance_of is None and self.cross is None and self.stakes is None
        return nothing and not (self.forced_moves or self.shapes_counts)

    @property
    def has_room_limits(self) -> bool:
        """True if any member's room is limited."""
        return bool((self.room < NO_LIMIT).any())

    @property
    def shapes_counts(self) -> bool:
        """True if the most even counts differ from those of members that are all the same."""
        return self.instance_of is not None or self.has_room_limits or not self.equal_capacities


def load_factors(capacity: Ints, total: int) -> tuple[Ints, int]:
    """[M] what a load is multiplied by to be compared between members, and the scale of that.

    `capacity` [M] are whole numbers, 1 or more; `total` is the load of all members together. The
    scale is what one record per unit of capacity becomes; a factor is scale / capacity. All factors
    are 1, and the scale is the capacity, where capacities are equal. Else the scale is the least
    common multiple of the capacities, and factors are exact, as long as total × scale stays below
    `MAX_SCALED`. Beyond that it is the largest that does, and factors are rounded: a scaled load is
    wrong by at most capacity / (2 × scale) of itself, some 10^-9 for a total of 10^6 records and a
    capacity of 999. A factor is 1 at least, so that a total close to `MAX_SCALED` makes capacities
    look more alike than they are; that takes some 10^15 records.
    """
    kinds = np.unique(capacity)
    if len(kinds) <= 1:
        return np.ones_like(capacity), int(kinds[0]) if len(kinds) else 1
    largest = max(int(kinds[-1]), MAX_SCALED // max(1, total))
    scale = 1
    for kind in kinds.tolist():
        scale = math.lcm(scale, kind)
        if scale > largest:
            scale = largest
            break
    most = max(1, MAX_SCALED // max(1, total))
    # Rounded to the nearest; exact for a common multiple.
    return np.clip((scale + capacity // 2) // capacity, 1, most), scale
