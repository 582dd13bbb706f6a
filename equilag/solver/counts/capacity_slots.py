"""Sinks that are alike as far as counts by capacity go, and what each of them should have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats, Index, Ints
from equilag.domain.constraint import Sinks, count_upto, least_levels, marginal_cost, ranges
from equilag.domain.group.group import Group


class SlotMembers(NamedTuple):
    """The members of a sink; entries by slot."""

    slot: Ints
    capacity: Ints
    base: Ints
    room: Ints


class CapacitySlots(NamedTuple):
    """Sinks of one member class whose members are alike in capacity, base and room; S sinks, D
    slots. Partitions are counted without those that members have as their base."""

    of: Ints
    """[S] the slot of each sink."""
    width: Ints
    """[D] how many sinks a slot is."""
    member_class: Ints
    """[D] ascending."""
    capacity: Ints
    """[D] of one sink, as are the next two."""
    base: Ints
    room: Ints
    members: SlotMembers
    """Of one sink of each slot."""

    @staticmethod
    def of_sinks(group: Group, sinks: Sinks, base: Ints) -> CapacitySlots:
        """`base` [M] partitions that members keep. O(M log M)."""
        assert group.extended is not None
        capacity = group.extended.capacity
        # What is beyond all partitions makes no difference.
        room = np.minimum(group.extended.room, base + group.n_partitions)
        kind = _alike(capacity, base, room)
        order = np.lexsort((kind, sinks.of))
        size = np.bincount(sinks.of, minlength=len(sinks.capacity))
        begin = np.cumsum(size) - size
        if int(size.max(initial=1)) == 1:
            sets = kind[order]
        else:
            number: dict[bytes, int] = {}
            parts = np.split(kind[order], begin[1:])
            sets = np.array([number.setdefault(p.tobytes(), len(number)) for p in parts])
        _, first, of = np.unique(
            _pairs(sinks.member_class, sets), return_index=True, return_inverse=True
        )
        of = of.ravel()
        one = order[ranges(begin[first], begin[first] + size[first])]
        return CapacitySlots(
            of,
            np.bincount(of),
            sinks.member_class[first],
            sinks.capacity[first],
            sinks.total(base)[first],
            sinks.total(room)[first],
            SlotMembers(
                np.repeat(np.arange(len(first)), size[first]), capacity[one], base[one], room[one]
            ),
        )

    def part(self, some: Ints) -> CapacitySlots:
        """Some of the slots, ascending, and none of the sinks."""
        place = np.full(len(self.width), -1)
        place[some] = np.arange(len(some))
        slot, *columns = self.members
        inside = place[slot] >= 0
        capacity, base, room = (column[inside] for column in columns)
        return CapacitySlots(
            self.of[:0],
            self.width[some],
            self.member_class[some],
            self.capacity[some],
            self.base[some],
            self.room[some],
            SlotMembers(place[slot[inside]], capacity, base, room),
        )

    def bounds(self, units: int) -> tuple[Ints, Ints]:
        """[D] fewest and most partitions of each sink if units are dealt as well as capacities and
        rooms alone allow: they differ by one at most."""
        everywhere = np.zeros(len(self.width), np.int64)
        columns = self.capacity, self.base, self.room, self.width, everywhere
        level = float(least_levels(np.array([units]), *columns)[0])
        upper = np.clip(
            count_upto(np.full(len(self.width), level), self.capacity), self.base, self.room
        )
        tied = (upper > self.base) & (marginal_cost(upper, self.capacity) == level)
        lower = upper - tied
        ties = np.flatnonzero(tied)
        if len(self.members.slot) > len(self.width):
            left = units - int((self.width * (lower - self.base)).sum())
            cost = self.part(ties).dearest(upper[ties] - self.base[ties])
            ascending = np.argsort(cost, kind="stable")
            enough = np.searchsorted(np.cumsum(self.width[ties[ascending]]), left)
            limit = cost[ascending[enough]]
            upper[ties[cost > limit]] -= 1
            lower[ties[cost < limit]] += 1
        return lower - self.base, upper - self.base

    def dearest(self, units: Ints) -> Floats:
        """[D] what the last of so many units costs the member of each sink that takes it."""
        slot, capacity, base, room = self.members
        return least_levels(units, capacity, base, room, np.ones_like(slot), slot)


def share_in_sinks(group: Group, sinks: Sinks, base: Ints, units: Ints) -> Ints:
    """[M] units of each member, of so many that each sink [S] takes beyond its members' base."""
    assert group.extended is not None
    of, capacity = sinks.of, group.extended.capacity
    if len(of) == len(units):
        return units[of]
    room = np.minimum(group.extended.room, base + group.n_partitions)
    level = least_levels(units, capacity, base, room, np.ones_like(of), of)[of]
    some = np.isfinite(level)
    upper = np.clip(count_upto(np.where(some, level, 0), capacity), base, room)
    upper = np.where(some, upper, base)
    tied = (upper > base) & (marginal_cost(upper, capacity) == level)
    over = np.flatnonzero(tied)[::-1]  # the first members keep what is spare
    over = over[np.argsort(of[over], kind="stable")]
    rank = np.arange(len(over)) - np.searchsorted(of[over], of[over])
    spare = sinks.total(upper - base) - units
    upper[over[rank < spare[of[over]]]] -= 1
    share: Ints = upper - base
    return share


def _alike(*columns: Ints) -> Ints:
    """A number for each entry, the same for those that agree in all columns."""
    found = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        found = np.unique(_pairs(found, column), return_inverse=True)[1].ravel()
    return found


def _pairs(one: Ints, other: Ints) -> Ints:
    """One number for each pair, ascending by the first and then the second."""
    pairs: Ints = one * (int(other.max(initial=0)) + 1) + other
    return pairs


def slots_of_classes(group: Group, slot_class: Ints | Index) -> tuple[Ints, Ints]:
    """Partition class and slot of every pair that goes together, by partition class.

    `slot_class` [slots], the member class of each, is ascending.
    """
    classes, member_classes = group.arcs
    first = np.searchsorted(slot_class, np.arange(len(group.class_topics) + 1))
    slots = np.diff(first)[member_classes]
    return np.repeat(classes, slots), ranges(first[member_classes], first[member_classes + 1])


def deal_to_slots(
    assigned: Index, partitions: Ints, slots: Ints, members: Ints, share: Ints
) -> None:
    """Assign each of `partitions` to a member of its slot in `slots`.

    `members` are by slot, and `share` is how many partitions each of them takes.
    """
    by_slot = partitions[np.argsort(slots, kind="stable")]
    assigned[by_slot] = np.repeat(members, share)
