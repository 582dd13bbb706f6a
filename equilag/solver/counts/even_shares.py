"""The most even counts of members that may all take the same partitions, in closed form.

Counts by capacity minimise Σ count² / capacity: the nth partition of a member has a marginal cost
of (2n − 1) / capacity, and the cheapest partitions are taken. Where capacities are equal, these are
⌊P / N⌋ and ⌈P / N⌉. A marginal cost is kept as a float, which is exact for all that is asked of it:
two different quotients p / q and p' / q' of integers differ by 1 / (q · q') at least, and are
rounded by less than that while p · q' stays below 2^51. Equal quotients are rounded to the same
float. Counts stay below 2^24 (10 million partitions), capacities below 2^20, so that this holds for
all members, and for instances of up to 100 of the largest.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Floats, Ints
from equilag.domain.group.group import Group

FREE: Final = -np.inf
"""The marginal cost below all others: of a partition that is not there."""


def marginal_cost(nth: Ints, capacity: Ints | int) -> Floats:
    """The cost of a member's nth partition."""
    cost: Floats = (2 * nth - 1) / capacity
    return cost


def count_upto(level: Floats, capacity: Ints) -> Ints:
    """How many partitions cost no more than `level`, which is finite."""
    count = np.maximum((level * capacity + 1) / 2, 0).astype(np.int64)
    # The product is rounded, and may be off by one.
    count += marginal_cost(count + 1, capacity) <= level
    count -= (count > 0) & (marginal_cost(count, capacity) > level)
    return count


class Takers(NamedTuple):
    """Who takes partitions."""

    place: Ints
    """Takers of one place may take the same partitions."""
    width: Ints
    """How many takers that are alike an entry stands for."""
    capacity: Ints
    """Of one of them, as are the next two."""
    base: Ints
    """Partitions that stay where they are; all others come on top."""
    room: Ints
    """Most partitions, those of the base included."""

    @staticmethod
    def of_group(group: Group, base: Ints) -> Takers:
        """The members [M] by their class."""
        place, ones = group.class_of.astype(np.int64), np.ones(len(base), np.int64)
        return Takers(place, ones, group.extended.capacity, base, group.extended.room)

    def where(self, some: Ints) -> Takers:
        """Some of the entries."""
        return Takers(*(column[some] for column in self))

    def bounds(self, units: int, n_places: int) -> tuple[Ints, Ints]:
        """[places] fewest and most units of each if they are dealt as well as capacities and rooms
        alone allow: those of each taker differ by one at most."""
        shares = EvenShares.of(self._replace(place=np.zeros_like(self.place)), np.array([units]))
        least, most = shares.least, shares.least + shares.open
        lower, upper = (_sums(self.place, self.width * each, n_places) for each in (least, most))
        return lower, upper

    def levels(self, units: Ints) -> Floats:
        """[places] the least marginal cost up to which the takers of each place take its units, by
        bisection: O(entries × 64). There must be room for all units. FREE for places without units.
        """
        place, width, capacity, base, room = self
        n_places = len(units)

        def taken(level: Floats) -> Ints:
            count = np.clip(count_upto(level[place], capacity), base, room)
            return _sums(place, width * (count - base), n_places)

        def following(level: Floats) -> Floats:
            """The least marginal cost above `level` of a partition that there is room for."""
            count = np.maximum(count_upto(level[place], capacity), base)
            step = np.where(count < room, marginal_cost(count + 1, capacity), np.inf)
            least = np.full(n_places, np.inf)
            np.minimum.at(least, place, step)
            return least

        # As if nobody had a base or a limit.
        total = units + _sums(place, width * base, n_places)
        even = 2 * total / np.maximum(1, _sums(place, width * capacity, n_places))
        low, high, widest = np.full(n_places, -1.0), np.zeros(n_places), np.zeros(n_places)
        last = np.minimum(room, base + units[place])
        np.maximum.at(high, place, marginal_cost(np.maximum(last, 1), capacity))
        np.maximum.at(widest, place, 2 / capacity)
        for guess in (even + widest, even - widest):
            guess = np.clip(guess, low, high)
            enough = taken(guess) >= units
            low, high = np.where(enough, low, guess), np.where(enough, guess, high)
        level = np.where(units > 0, np.inf, FREE)
        while True:
            candidate = np.minimum(following(low), high)
            enough = taken(candidate) >= units
            level = np.where(np.isinf(level) & (units > 0) & enough, candidate, level)
            if not np.isinf(level[units > 0]).any():
                return level
            low = np.where(enough, low, candidate)
            middle = (low + high) / 2
            enough = taken(middle) >= units
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)


class EvenShares(NamedTuple):
    """What the takers of each place should have beyond their base."""

    least: Ints
    """[takers]"""
    open: Flags
    """[takers] True for those that may have one more."""
    n_open: Ints
    """[places] how many those are."""
    rest: Ints
    """[places] how many of those have it."""
    level: Floats
    """[places] what the last partition costs, where there are any."""

    @staticmethod
    def of(takers: Takers, units: Ints) -> EvenShares:
        """For so many units of each place, which fit into its room."""
        place, width, capacity, base, room = takers
        n_places, busy = len(units), (units > 0)[place]
        number = np.maximum(1, _sums(place, width, n_places))
        each = -(-(units + _sums(place, width * base, n_places)) // number)
        upper, level = each[place], marginal_cost(each, 1)
        tied = busy
        if not ((capacity == 1) & (base < upper) & (upper <= room) | ~busy).all():
            level = takers.levels(units)
            upper = count_upto(np.where(busy, level[place], 0), capacity)
            upper = np.clip(upper, base, room)
            tied = busy & (upper > base) & (marginal_cost(upper, capacity) == level[place])
        least = (upper - tied - base) * busy
        n_open = _sums(place, width * tied, n_places)
        return EvenShares(least, tied, n_open, units - _sums(place, width * least, n_places), level)

    @property
    def most(self) -> Ints:
        """[takers]"""
        return self.least + self.open

    @property
    def full(self) -> Flags:
        """[places] True where all that may have one more have it."""
        return self.n_open <= self.rest

    def dealt(self, takers: Takers, last: Floats | Flags) -> tuple[Ints, Ints]:
        """The units of each entry, of those that are open first those with the smallest `last`; and
        the entries by place."""
        place, width = takers.place, takers.width
        more, units = width * self.open, width * self.least
        order = np.lexsort((last, ~self.open, place))
        upto = (self.rest + self.n_open.cumsum() - self.n_open)[place[order]]
        more = more[order]
        units[order] += np.minimum(np.maximum(upto - more.cumsum() + more, 0), more)
        return units, order


def _sums(place: Ints, values: Ints, n_places: int) -> Ints:
    """[places] exact, although it goes through floats: all sums stay below 2^53."""
    return np.bincount(place, values, n_places).astype(np.int64)
