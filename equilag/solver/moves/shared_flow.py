"""A flow from partition classes to members that starts with every owned partition kept.

The state of a minimum-cost flow in which a unit costs 1 if its partition is new to the member, else
0: units by cell, what is too much and what is lacking, and potentials that prove that the flow is
the cheapest for what it ships. Sets are bits of integers, see `small_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator

from equilag.solver.moves.small_columns import Cell, IndependentPart, numbers


class SharedFlow:
    """Members share the partitions of some classes, as evenly as if everybody could take any.

    Nodes are the members, the classes, and node 0: the sink, from which members take extra places.
    Each member gets `least` partitions, and `spare` of them one more, by an extra place. `height`
    is a node's potential, and `level` has the nodes of each height. An arc with room leads at most
    to a node of the same height (`flat`), or from a class to the height below and from a member to
    the height above (`steep`): a unit of a flat arc from a class costs 1, and returns it back.
    """

    def __init__(
        self,
        readers: list[int],
        size: list[int],
        owned: list[Cell],
        part: IndependentPart,
        width: int,
    ) -> None:
        """`readers` and `size` are by node. `owned` has cells of `part` only."""
        self.members, self.classes = part
        self.width = width
        self.owned: dict[int, int] = {}
        """Partitions that a member owns, by cell; none is 0."""
        self.flat = readers[:]
        """Of a class its members, of a member the classes of which it holds more than it owns, and
        the sink if it may take an extra place; of the sink the members that have one."""
        self.steep = [0] * len(readers)
        """Of a class the members that hold less than they own, of a member the classes of which it
        holds some, and no more than it owns."""
        self.loose = loose = {c: size[c] for c in numbers(part.classes)}
        """Partitions of each class that nobody holds."""
        self.count = count = [0] * width
        self.least, self.spare = divmod(sum(loose.values()), part.members.bit_count())
        self.most = self.least + (self.spare > 0)
        steep, by_cell = self.steep, self.owned
        for c, m, units in owned:
            by_cell[c * width + m] = units
            loose[c] -= units
            count[m] += units
            steep[m] |= 1 << c
        self.units = by_cell.copy()
        """Partitions that a member holds, as `owned`."""
        self._sort_members()
        self._set_heights()

    def _sort_members(self) -> None:
        count, flat, least, most, spare = self.count, self.flat, self.least, self.most, self.spare
        over = high = 0
        rest = self.members if self.owned or not least else 0
        below = self.members & ~rest
        while rest:
            bit = rest & -rest
            rest ^= bit
            m = bit.bit_length() - 1
            n = count[m]
            if n < least:
                below |= bit
            elif n > least:
                high |= bit
                if n > most:
                    over |= bit
            elif spare:
                flat[m] = 1
        self.below, self.over = below, over
        """Members that lack partitions, and that have too many."""
        flat[0] = high if spare else 0
        self.places = spare - flat[0].bit_count()
        """Extra places that are free; negative if too many are taken."""

    def _set_heights(self) -> None:
        """Lowest for what is too much, and what costs nothing to reach from there."""
        near = self.over | self.flat[0] | 1 if self.places < 0 else self.over
        of_class = self.loose_classes = sum([1 << c for c, units in self.loose.items() if units])
        """Classes with loose partitions."""
        for m in numbers(near & ~1):
            of_class |= self.steep[m]
        # A class stands one above its potential, so that most arcs are flat.
        self.level = {
            0: near,
            1: (self.members | 1) & ~near | of_class,
            2: self.classes & ~of_class,
        }
        self.height = [1] * len(self.flat)
        for node in numbers(near):
            self.height[node] = 0
        for node in numbers(self.level[2]):
            self.height[node] = 2

    @property
    def sources(self) -> int:
        """Where there is too much."""
        return self.loose_classes | self.over | (self.places < 0)

    @property
    def lacking(self) -> int:
        """Where there is too little."""
        return self.below | (self.places > 0)

    def change(self, c: int, m: int, by: int) -> None:
        """Give member m so many more partitions of class c, or fewer; counts stay as they are."""
        cell, bit, of_class = c * self.width + m, 1 << m, 1 << c
        now, own = self.units.get(cell, 0) + by, self.owned.get(cell, 0)
        self.steep[m] &= ~of_class
        self.flat[m] &= ~of_class
        self.steep[c] &= ~bit
        if now > own:
            self.flat[m] |= of_class
        elif now:
            self.steep[m] |= of_class
        if now < own:
            self.steep[c] |= bit
        if now:
            self.units[cell] = now
        else:
            self.units.pop(cell, None)

    def gain(self, m: int, units: int) -> None:
        """Count partitions of a member that has fewer than `least`."""
        self.count[m] += units
        if self.count[m] == self.least:
            self.below ^= 1 << m
            if self.spare:
                self.flat[m] |= 1

    def rise(self, m: int) -> None:
        """Give an extra place to a member."""
        self.count[m] += 1
        self.flat[m] ^= 1
        self.flat[0] |= 1 << m
        self.places -= 1

    def fall(self, m: int) -> None:
        """Take an extra place from a member that has `most`."""
        self.count[m] -= 1
        self.flat[m] |= 1
        self.flat[0] ^= 1 << m
        self.places += 1

    def lose(self, m: int, units: int) -> None:
        """Count fewer partitions of a member that has too many."""
        self.count[m] -= units
        if self.count[m] == self.most:
            self.over ^= 1 << m

    def take(self, c: int, units: int) -> None:
        """Count fewer loose partitions of a class."""
        self.loose[c] -= units
        if not self.loose[c]:
            self.loose_classes ^= 1 << c

    def lower(self, nodes: int, by: int) -> None:
        """Lower the potentials of some nodes."""
        level, height = self.level, self.height
        while nodes:
            at = height[nodes.bit_length() - 1]
            some = level[at] & nodes
            nodes ^= some
            level[at] ^= some
            level[at - by] = level.get(at - by, 0) | some
            for node in numbers(some):
                height[node] = at - by

    def blocks(self) -> Iterator[tuple[int, int, bool]]:
        """Sets of members and classes between which no partition may pass, ascending.

        The members of the first kind all have the same number; those of the second, with True,
        share the extra places.
        """
        members, classes = self.flat[0], 0
        left = members
        while left:
            held = 0
            for m in numbers(left):
                held |= (self.steep[m] | self.flat[m]) & ~1
            left = 0
            for c in numbers(held & ~classes):
                left |= self.flat[c]
            classes |= held
            left &= ~members
            members |= left
        if self.members & ~members:
            yield self.members & ~members, self.classes & ~classes, False
        if members:
            yield members, classes, True
