"""A small group as Python integers: sets of members and of partition classes as bits.

At some hundred nodes, a step on lists and integers costs a tenth of an array operation. Members
are numbered from 1, by how many topics they read, ascending: the lowest bit of a set is the member
with the fewest alternatives. A cell is one number for a class and a member.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np

from equilag.certificate.checks.potentials import Potentials
from equilag.domain.group.group import Group, Index, Ints

DENSE: Final = 4
"""Taking a bit out of a number costs as much as so many digits, measured at 300 bits."""
MAX_CELLS: Final = 20_000
"""Topics x members up to which paths are quicker than OR-Tools' flows, or nearly: at 100 x 100 they
take half the time, at 200 x 100 as long; at 170 x 170 and many partitions, twice as long."""

Cell: TypeAlias = tuple[int, int, int]
"""Partitions of a class at a member: both nodes, and how many."""


class IndependentPart(NamedTuple):
    """Members and classes that are independent of all others, as bits."""

    members: int
    classes: int


class SmallColumns(NamedTuple):
    """C partition classes, M members, T topics, P partitions; W = M + 1, N = W + C nodes."""

    member: Ints
    """[M] the group's numbers of the members 1 … M."""
    reach: list[int]
    """[W] partitions that a member may take, or fewer if it may take more than the mean count."""
    width: int
    """W, the node of the first class. Class c and member m are cell c · W + m."""
    class_of_topic: list[int]
    """[T]"""
    readers: list[int]
    """[N] the members that may take partitions of a class; 0 for the nodes that are none."""
    size: list[int]
    """[N] partitions of a class."""
    cell: Ints
    """[P] class and owner of each partition, less W · W; owner 0 is nobody."""
    units: Ints
    """[C · W] partitions by class and owner."""
    owned: list[Cell]
    whole: IndependentPart
    """All classes that are read and have partitions, and all members that may take any."""
    total: int
    """Partitions that are assigned."""

    @staticmethod
    def of(group: Group) -> SmallColumns:
        reading = [topics.tolist() for topics in group.class_topics]
        sizes = group.topic_size.tolist()
        of_member = group.class_of.tolist()
        width = len(of_member) + 1
        mean = len(group.owner) // width
        reach = [
            sum([sizes[t] for t in topics]) if len(topics) <= mean else mean + len(topics)
            for topics in reading
        ]
        order = sorted(range(width - 1), key=[len(reading[k]) for k in of_member].__getitem__)
        members = [0] * len(reading)
        place = [0] * width  # NOBODY is -1, the last one
        for m, member in enumerate(order, 1):
            members[of_member[member]] |= 1 << m
            place[member] = m
        by_topic = [0] * len(sizes)
        for topics, bits in zip(reading, members, strict=True):
            for topic in topics:
                by_topic[topic] |= bits
        number: dict[int, int] = {}
        class_of_topic = [number.setdefault(bits, len(number)) + width for bits in by_topic]
        nothing = [0] * width
        size = nothing + [0] * len(number)
        for c, partitions in zip(class_of_topic, sizes, strict=True):
            size[c] += partitions
        base = np.array(class_of_topic, dtype=np.int64) * width - width * width
        cell = base.repeat(group.topic_size) + np.array(place)[group.owner]
        units = np.bincount(cell, minlength=len(number) * width)
        cells = units.nonzero()[0]
        above, owner = np.divmod(cells, width)
        columns = (above + width).tolist(), owner.tolist(), units[cells].tolist()
        rows = zip(*columns, strict=True)
        all_members = all_classes = total = 0
        for c, readers in enumerate(number, width):
            if readers and size[c]:
                all_members |= readers
                all_classes |= 1 << c
                total += size[c]
        return SmallColumns(
            np.array(order, dtype=np.int64),
            [0, *[reach[of_member[member]] for member in order]],
            width,
            class_of_topic,
            nothing + list(number),
            size,
            cell,
            units,
            [row for row in rows if row[1]],
            IndependentPart(all_members, all_classes),
            total,
        )

    def assignment(self, owner: Index, units: dict[int, int]) -> tuple[Index, int]:
        """[P] who takes what, and how many partitions move, from the partitions of each cell.

        A member loses the last of those that it owns.
        """
        width, assigned, moves = self.width, owner.copy(), 0
        first = width * width
        gained = units.copy()
        lost, left = [], []
        for c, m, before in self.owned:
            cell = c * width + m
            now = gained.pop(cell, 0)
            if now < before:
                lost.append(cell - first)
                left.append(now)
                moves += before - now
            elif now > before:
                gained[cell] = now - before
        if not gained:
            return assigned, 0
        keep = self.units.copy()
        keep[::width] = 0
        for c, readers in enumerate(self.readers[width:]):
            if not readers:  # what nobody reads stays unassigned
                keep[c * width] = self.units[c * width]
        keep[lost] = left
        some = (keep < self.units)[self.cell].nonzero()[0]
        where = self.cell[some]
        order = where.argsort(kind="stable")
        where = where[order]
        rank = np.arange(len(where)) - where.searchsorted(where)
        loose = some[order[rank >= keep[where]]]
        cells = sorted(gained)
        members = self.member[np.array(cells) % width - 1]
        assigned[loose] = members.repeat([gained[cell] for cell in cells])
        return assigned, moves

    def potentials(self, value: dict[int, int]) -> Potentials:
        """By the group's numbers, from potentials by node; 0 where none is given."""
        topic = np.array([value.get(c, 0) for c in self.class_of_topic], dtype=np.int64)
        member = np.zeros(len(self.member), dtype=np.int64)
        member[self.member] = [value.get(m, 0) for m in range(1, self.width)]
        return Potentials(topic, member)


def numbers(mask: int) -> list[int]:
    """The numbers of the bits of a set, ascending."""
    if DENSE * mask.bit_count() > mask.bit_length():
        return [number for number, digit in enumerate(bin(mask)[:1:-1]) if digit == "1"]
    found = []
    while mask:
        bit = mask & -mask
        found.append(bit.bit_length() - 1)
        mask ^= bit
    return found
