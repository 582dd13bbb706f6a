"""A small group as Python integers: sets of members and of partition classes as bits.

At some hundred nodes, a step on lists and integers costs a tenth of an array operation. Members
are numbered from 1, by how many topics they read, ascending: the lowest bit of a set is the member
with the fewest alternatives. A cell is one number for a class and a member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.potentials import Potentials
from equilag.group import Group, Index, Ints

MAX_CELLS: Final = 30_000
"""Topics x members up to which a group counts as small: at 200 x 100, one call takes 1.5 ms on
paths and 2.5 ms on OR-Tools' flows; both grow with the cells."""


class SmallColumns(NamedTuple):
    """Shapes: C partition classes, M members, T topics, P partitions; W = M + 1."""

    member: Ints
    """[M] the group's numbers of the members 1 … M."""
    reach: list[int]
    """[W] topics that a member reads; entry 0 stands for nobody."""
    width: int
    """W; the cell of class c and member m is c · W + m."""
    class_of_topic: list[int]
    """[T]"""
    readers: list[int]
    """[C] the members that may take partitions of the class, as bits."""
    size: list[int]
    """[C] partitions of the class."""
    cell: Ints
    """[P] class and owner of each partition; owner 0 is nobody."""
    units: Ints
    """[C · W] partitions by class and owner."""
    owned: dict[int, int]
    """Partitions by cell, of the cells in which a member owns any."""

    @staticmethod
    def of(group: Group) -> SmallColumns:
        reading = [topics.tolist() for topics in group.class_topics]
        of_member = group.class_of.tolist()
        alternatives = list(map(len, reading))
        reach = [alternatives[k] for k in of_member]
        order = sorted(range(len(reach)), key=reach.__getitem__)
        members = [0] * len(reading)
        place = [0] * (len(reach) + 1)  # NOBODY is -1, the last one
        for m, member in enumerate(order, 1):
            members[of_member[member]] |= 1 << m
            place[member] = m
        by_topic = [0] * len(group.topics)
        for topics, bits in zip(reading, members, strict=True):
            for topic in topics:
                by_topic[topic] |= bits
        number: dict[int, int] = {}
        class_of_topic = [number.setdefault(bits, len(number)) for bits in by_topic]
        size = [0] * len(number)
        for c, partitions in zip(class_of_topic, group.topic_size.tolist(), strict=True):
            size[c] += partitions
        width = len(place)
        base = np.array([c * width for c in class_of_topic], dtype=np.int64)
        cell = base[group.topic_of] + np.array(place)[group.owner]
        units = np.bincount(cell, minlength=len(number) * width)
        cells = units.nonzero()[0]
        owned = dict(zip(cells.tolist(), units[cells].tolist(), strict=True))
        for c in range(len(number)):
            owned.pop(c * width, None)
        reach.sort()
        columns = [0, *reach], width, class_of_topic, list(number), size, cell, units, owned
        return SmallColumns(np.array(order, dtype=np.int64), *columns)

    def assignment(self, owner: Index, units: dict[int, int]) -> tuple[Index, int]:
        """[P] who takes what, and how many partitions move, from the partitions of each cell.

        A member loses the last of those that it owns.
        """
        owned, width, assigned = self.owned, self.width, owner.copy()
        lost = [cell for cell, before in owned.items() if units.get(cell, 0) < before]
        gains = [cell for cell, now in units.items() if now > owned.get(cell, 0)]
        if not gains:
            return assigned, 0
        gains.sort()
        more = [units[cell] - owned.get(cell, 0) for cell in gains]
        left = [units.get(cell, 0) for cell in lost]
        keep = self.units.copy()
        keep[::width] = 0
        if 0 in self.readers:  # what nobody reads stays unassigned
            nobody = self.readers.index(0) * width
            keep[nobody] = self.units[nobody]
        keep[lost] = left
        some = (keep < self.units)[self.cell].nonzero()[0]
        cell = self.cell[some]
        order = cell.argsort(kind="stable")
        cell = cell[order]
        rank = np.arange(len(cell)) - cell.searchsorted(cell)
        loose = some[order[rank >= keep[cell]]]
        assigned[loose] = self.member[np.array(gains) % width - 1].repeat(more)
        return assigned, sum(map(owned.__getitem__, lost)) - sum(left)

    def potentials(self, of_class: dict[int, int], of_member: dict[int, int]) -> Potentials:
        """By the group's numbers, from potentials by class and by member; 0 where none is given."""
        topic = np.array([of_class.get(c, 0) for c in self.class_of_topic], dtype=np.int64)
        member = np.zeros(len(self.member), dtype=np.int64)
        for m, value in of_member.items():
            member[self.member[m - 1]] = value
        return Potentials(topic, member)


def numbers(mask: int) -> Iterator[int]:
    """The numbers of the bits of a set, ascending."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
