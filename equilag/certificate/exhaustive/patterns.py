"""The sets of items that one member may take ("patterns"), joined from two halves of the items.

Horowitz and Sahni, "Computing partitions with applications to the knapsack problem": the subsets
of each half are sorted by load, so that bisection finds the pairs whose load lies in a window.
Where moves are limited, only subsets with few moves are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.item_masks import Bits, ItemMasks, Patterns, disjoint
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.columns import ranges
from equilag.domain.group.group import Flags, Ints

MAX_SUBSETS: Final = 1 << 20
"""Words of the masks of one half: all subsets of 20 items, some 50 MB with what is beside them."""


AT_ONCE: Final = 2
"""Ends of moves up to which subsets are listed at once, since there are few."""
STEP: Final = 2_000
"""What an item costs besides its subsets: some 15 array operations."""


class TooManySets(OutOfBudget):
    """A list would be too long."""


class Half(NamedTuple):
    """Subsets of one half of the items, by key and then by load.

    A key is (items per topic, or of all topics; ends of moves).
    """

    mask: Bits
    """[n, W]"""
    load: Ints
    key: Ints
    counts: Ints
    """[keys, topics or 1]"""
    ends: Ints
    """[keys]"""
    bits: Bits
    """[W] the items of this half."""
    loads: Ints
    """[n] all loads, ascending."""
    place: Ints
    """[n] key times (n + 1), and the number of loads below: ascending."""

    def select(self, wanted: Wanted, budget: Budget) -> Half:
        """The subsets of what is available that contain what is required."""
        must, missing = wanted.required & self.bits, ~wanted.available & self.bits
        if not must.any() and not missing.any():
            return self
        budget.spend(self.mask.size)
        fits = disjoint(self.mask, missing) & disjoint(~self.mask, must)
        return self._replace(
            mask=self.mask[fits], load=self.load[fits], key=self.key[fits], place=self.place[fits]
        )


def subsets(items: ItemMasks, member: int, bits: Ints, most: int, budget: Budget) -> Half:
    """All subsets of the items `bits` that the member may take, with at most its greatest count of
    items, and at most `most` ends of moves. O(their number).

    Raises OutOfBudget.
    """
    hi, words = items.limits[member].hi, items.masks.shape[1]
    gained, lost = items.prices[:, member], items.saved[:, member]
    most_lost, most_gained = items.most_changed(member, most)
    mask, load = np.zeros((1, words), np.uint64), np.zeros(1, np.int64)
    counts = np.zeros((1, items.n_topics), np.int16)
    ends = gains = np.zeros(1, np.int64)
    alone = items.allowed[:, member] & (items.allowed.sum(axis=1) == 1)
    work = 0
    for bit in bits.tolist():
        # Without the item, and with it.
        stay = (ends + lost[bit] <= most) & (ends - gains + lost[bit] <= most_lost)
        stay &= ~alone[bit]
        fits = (ends + gained[bit] <= most) & (gains + gained[bit] <= most_gained)
        fits &= (counts.sum(axis=1) < hi) & items.allowed[bit, member]
        extra = counts[fits]
        extra[:, items.topic[bit]] += 1
        mask = np.concatenate((mask[stay], mask[fits] | items.masks[bit]))
        load = np.concatenate((load[stay], load[fits] + items.lag[bit]))
        counts = np.concatenate((counts[stay], extra))
        ends = np.concatenate((ends[stay] + lost[bit], ends[fits] + gained[bit]))
        gains = np.concatenate((gains[stay], gains[fits] + gained[bit]))
        work += len(mask) * 4 + STEP
        if len(mask) * words > MAX_SUBSETS or work > budget.work:
            budget.spend(work)  # raises where it is more than is left
            raise TooManySets
    budget.spend(work)
    columns = np.column_stack((counts, ends)).astype(np.int64)
    key, radix = np.zeros(len(mask), np.int64), 1
    for column in columns.T:
        values, place = np.unique(column, return_inverse=True)
        key += radix * place
        radix *= len(values)
    _, first, key = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((load, key))
    budget.spend(len(mask) * 4)
    of_key, load, key = columns[first], load[order], key[order]
    loads = np.sort(load)
    place = key * (len(loads) + 1) + np.searchsorted(loads, load)
    return Half(
        mask[order], load, key, of_key[:, :-1], of_key[:, -1], items.mask(bits), loads, place
    )


class Wanted(NamedTuple):
    """Which patterns of a member are wanted."""

    low: int
    """Least lag, base load included."""
    high: int
    ends: int
    """Most ends of moves."""
    available: Bits
    """[W] the items that it may be of."""
    required: Bits
    """[W] the items that it must have."""


@dataclass(frozen=True, eq=False, slots=True)
class Join:
    """Pairs of half patterns inside a window: counted first, listed only by `patterns`."""

    left: Half
    right: Half
    base: int
    """The member's base load."""
    row: Ints
    """[n] a left subset."""
    ends: Ints
    """[n] ends of moves of its pairs with the right subsets of one key."""
    first: Ints
    """[n] the first such right subset whose load fits."""
    number: Ints
    """[n] how many there are from there on."""

    @staticmethod
    def of(
        halves: tuple[Half, Half], fits: Flags, base: int, wanted: Wanted, budget: Budget
    ) -> Join:
        """`fits` [left keys, right keys]: True where the limits on counts allow a pair of keys."""
        left, right = halves
        fits = fits & (left.ends[:, None] + right.ends <= wanted.ends)
        partners = fits.sum(axis=1)
        row = np.repeat(np.arange(len(left.load)), partners[left.key])
        budget.spend(len(left.load) * 12 + len(row) * 12)
        start = np.cumsum(partners) - partners
        key = np.nonzero(fits)[1][ranges(start[left.key], (start + partners)[left.key])]
        # One bisection for all keys: by key, and then by the load's place among all loads.
        loads, place, load = right.loads, right.place, left.load + base
        least = np.searchsorted(loads, wanted.low - load, side="left")[row]
        end = np.searchsorted(loads, wanted.high - load, side="right")[row]
        first = np.searchsorted(place, key * (len(loads) + 1) + least)
        number = np.searchsorted(place, key * (len(loads) + 1) + end) - first
        some = number > 0
        row, key = row[some], key[some]
        ends = left.ends[left.key[row]] + right.ends[key]
        return Join(left, right, base, row, ends, first[some], number[some])

    @property
    def total(self) -> int:
        """Number of pairs."""
        return int(self.number.sum())

    def patterns(self) -> Patterns:
        """All of them."""
        left, right, number = self.left, self.right, self.number
        i, j = np.repeat(self.row, number), ranges(self.first, self.first + number)
        load, ends = self.base + left.load[i] + right.load[j], np.repeat(self.ends, number)
        order = np.lexsort((load, ends))
        i, j, ends = i[order], j[order], ends[order]
        starts = [*np.flatnonzero(np.diff(ends, prepend=-1)).tolist(), len(ends)]
        return Patterns(left.mask[i] | right.mask[j], load[order], ends, starts)


@dataclass(frozen=True, eq=False, slots=True)
class MemberPatterns:
    """Subsets of both halves of the items of each member class, listed when first asked for."""

    items: ItemMasks
    member_class: list[int]
    holder: int | None = None
    """Who has an item that outweighs most members, and decides first."""
    halves: dict[tuple[int, int], tuple[Half, Half, Flags] | None] = field(default_factory=dict)
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    def join(self, member: int, wanted: Wanted, budget: Budget) -> Join:
        """The member's patterns. Raises OutOfBudget."""
        try:
            *halves, fits = self._halves(member, wanted.ends, budget)
        except TooManySets:
            some = self.items.chosen(wanted.available)
            if some.mean() > 0.5:  # no more than half of the items are listed once more
                raise
            *halves, fits = self._listed(member, wanted.ends, some, budget)
        left, right = (half.select(wanted, budget) for half in halves)
        return Join.of((left, right), fits, int(self.items.base[member]), wanted, budget)

    def number(self, member: int, ends: int) -> int:
        """Patterns of a member with at most so many ends of moves, whatever they weigh."""
        key = self.member_class[member], ends
        if key not in self.numbers:
            most = ends, *self.items.most_changed(member, ends)
            mine = self.items.saved[self.items.allowed[:, member], member] > 0
            self.numbers[key] = _at_most(mine, most)
        return self.numbers[key]

    def _halves(self, member: int, ends: int, budget: Budget) -> tuple[Half, Half, Flags]:
        ends = max(ends, AT_ONCE)
        key = self.member_class[member], ends
        if key not in self.halves:
            try:
                self.halves[key] = self._listed(member, ends, np.True_, budget)
            except TooManySets:
                self.halves[key] = None
        found = self.halves[key]
        if found is None:
            raise TooManySets
        return found

    def _listed(
        self, member: int, ends: int, some: Flags | np.bool_, budget: Budget
    ) -> tuple[Half, Half, Flags]:
        items = self.items
        mine = items.saved[:, member] > 0
        bits = np.flatnonzero((items.allowed[:, member] & some) | mine)
        bits = np.concatenate((bits[mine[bits]], bits[~mine[bits]]))
        splits = ((bits[::2], bits[1::2]), (bits[mine[bits]], bits[~mine[bits]]))
        most = ends, *items.most_changed(member, ends)
        split = min(splits, key=lambda s: sum(_at_most(mine[part], most) for part in s))
        left, right = (subsets(items, member, part, ends, budget) for part in split)
        budget.spend(left.counts.size * len(right.counts) * 4)
        counts = left.counts[:, None, :] + right.counts[None, :, :]
        return left, right, items.limits[member].admit(counts)


def _at_most(mine: Flags, most: tuple[int, int, int]) -> int:
    """Subsets of items, some of them a member's own, with at most so many ends of moves, and so
    many items lost and gained."""
    ends, most_lost, most_gained = most
    own = int(mine.sum())
    return sum(
        comb(own, lost) * comb(len(mine) - own, more)
        for lost in range(min(own, most_lost) + 1)
        for more in range(min(len(mine) - own, most_gained, ends - lost) + 1)
    )
