"""A flow from partition classes to members that starts with every owned partition kept.

The state of a minimum-cost flow in which a unit costs 1 if its partition is new to the member, else
0: units by cell, what is too much and what is lacking, and potentials that prove that the flow is
the cheapest for what it ships. Sets are bits of integers, see `small_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator

from equilag.solver.moves.small_columns import numbers


class SharedFlow:
    """Members share the partitions of some classes, as evenly as if everybody could take any.

    Each member gets `least` partitions, and `spare` of them one more: an extra place, which it
    takes from the sink. `height` is a node's potential, `level` has the members of each height, and
    `class_level` the classes. No arc with room costs less than its head lies above its tail: from
    class to member 1, or 0 up to what the member owns; back the same, negative; to and from the
    sink, 0.
    """

    def __init__(
        self,
        readers: list[int],
        size: list[int],
        owned: dict[int, int],
        members: int,
        classes: list[int],
        width: int,
    ) -> None:
        """`owned` has the cells of `members` and `classes` only, `readers` [C] only `members`."""
        self.readers, self.owned, self.members, self.width = readers, owned, members, width
        self.classes = classes
        self.units = dict(owned)
        """Partitions by cell; none is 0."""
        self.count = [0] * width
        self.kept = [0] * width
        """[W] classes of which the member holds some, and no more than it owns."""
        self.foreign = [0] * width
        """[W] classes of which the member holds more than it owns."""
        self.cheap = [0] * len(readers)
        """[C] members that hold less than they own."""
        self.loose = {c: size[c] for c in classes}
        """Partitions that nobody holds."""
        self.least, self.spare = divmod(sum(self.loose.values()), members.bit_count())
        self.most = self.least + (self.spare > 0)
        self._keep_all()
        self._sort_members()
        self._set_potentials()

    def _keep_all(self) -> None:
        count, kept, loose, width = self.count, self.kept, self.loose, self.width
        for cell, units in self.owned.items():
            c, m = divmod(cell, width)
            loose[c] -= units
            count[m] += units
            kept[m] |= 1 << c

    def _sort_members(self) -> None:
        """The members that lack partitions, that have too many, and that have an extra place."""
        count, least, most = self.count, self.least, self.most
        below = over = lower = upper = 0
        rest = self.members
        while rest:
            bit = rest & -rest
            rest ^= bit
            n = count[bit.bit_length() - 1]
            if n < least:
                below |= bit
            elif n == least:
                lower |= bit
            else:
                upper |= bit
                if n > most:
                    over |= bit
        self.below, self.over = below, over
        self.low, self.high = (lower, upper) if self.spare else (0, 0)
        """Members with `least`, and with more, where there are extra places."""
        self.places = self.spare - self.high.bit_count()
        """Extra places that are free; negative if too many are taken."""

    def _set_potentials(self) -> None:
        """0 for what is too much and what costs nothing to reach from there, else 1."""
        near = self.over if self.places >= 0 else self.high
        self.sink_height = int(self.places >= 0)
        self.sources = sum(1 << c for c in self.classes if self.loose[c])
        """Classes with loose partitions."""
        classes = self.sources
        for m in numbers(near):
            classes |= self.kept[m]
        whole = sum(1 << c for c in self.classes)
        self.level = {0: near, 1: self.members & ~near}
        self.class_level = {0: classes, 1: whole & ~classes}
        self.height = [near >> m & 1 ^ 1 for m in range(self.width)]
        self.class_height = [classes >> c & 1 ^ 1 for c in range(len(self.readers))]

    @property
    def settled(self) -> bool:
        """True if nothing is too much anywhere; then nothing is lacking either."""
        return not (self.sources or self.over) and self.places >= 0

    def change(self, c: int, m: int, by: int) -> None:
        """Give member m so many more partitions of class c, or fewer; counts stay as they are."""
        cell, bit, of_class = c * self.width + m, 1 << m, 1 << c
        now, own = self.units.get(cell, 0) + by, self.owned.get(cell, 0)
        self.kept[m] &= ~of_class
        self.foreign[m] &= ~of_class
        self.cheap[c] &= ~bit
        if now > own:
            self.foreign[m] |= of_class
        elif now:
            self.kept[m] |= of_class
        if now < own:
            self.cheap[c] |= bit
        if now:
            self.units[cell] = now
        else:
            self.units.pop(cell, None)

    def gain(self, m: int, units: int) -> None:
        """Count partitions of a member that has fewer than `least`."""
        self.count[m] += units
        if self.count[m] == self.least:
            bit = 1 << m
            self.below ^= bit
            if self.spare:
                self.low |= bit

    def rise(self, m: int) -> None:
        """Give an extra place to a member."""
        bit = 1 << m
        self.count[m] += 1
        self.low ^= bit
        self.high |= bit
        self.places -= 1

    def fall(self, m: int) -> None:
        """Take an extra place from a member that has `most`."""
        bit = 1 << m
        self.count[m] -= 1
        self.high ^= bit
        self.low |= bit
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
            self.sources ^= 1 << c

    def lower_potentials(self, members: int, classes: int, by: int) -> None:
        """Lower the potentials of some nodes."""
        _lower(self.level, self.height, members, by)
        _lower(self.class_level, self.class_height, classes, by)

    def blocks(self) -> Iterator[tuple[int, int, bool]]:
        """Sets of members and classes between which no partition may pass, ascending.

        The members of the first kind all have the same number; those of the second, with True,
        share the extra places.
        """
        members, classes = self.high, 0
        left = members
        while left:
            held = 0
            for m in numbers(left):
                held |= self.kept[m] | self.foreign[m]
            left = 0
            for c in numbers(held & ~classes):
                left |= self.readers[c]
            classes |= held
            left &= ~members
            members |= left
        others = sum(1 << c for c in self.classes) & ~classes
        if self.members & ~members:
            yield self.members & ~members, others, False
        if members:
            yield members, classes, True


def _lower(level: dict[int, int], height: list[int], nodes: int, by: int) -> None:
    while nodes:
        at = height[nodes.bit_length() - 1]
        some = level[at] & nodes
        nodes ^= some
        level[at] ^= some
        level[at - by] = level.get(at - by, 0) | some
        for number in numbers(some):
            height[number] = at - by
