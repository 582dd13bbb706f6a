"""What a reduced group has beside an ordinary one: capacities, room, instances, racks, units."""

from __future__ import annotations

from typing import Final, NamedTuple

from equilag.columns import Index, Ints

NO_LIMIT: Final = 2**40
"""The room of a member without a limit: above any number of partitions, and sums stay exact."""


class Stakes(NamedTuple):
    """Who holds how many of the partitions of each unit; one row for each unit and owner."""

    unit: Ints
    """Ascending."""
    member: Ints
    number: Ints
    """1 or more."""


class RealColumns(NamedTuple):
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
    stakes: Stakes | None = None
    """None where no unit has several partitions: then each owned one has one owner's stake of 1."""
    forced_moves: int = 0
    """Owned partitions that their owner may not keep under any plan, where `stakes` is None."""

    @property
    def equal_capacities(self) -> bool:
        """True if all members have the same capacity."""
        return not len(self.capacity) or int(self.capacity.max()) == 1 == int(self.capacity.min())

    @property
    def has_room_limits(self) -> bool:
        """True if any member's room is limited."""
        return bool((self.room < NO_LIMIT).any())
