"""The sets of items that one member may take ("patterns"), joined from two halves of the items.

Horowitz and Sahni, "Computing partitions with applications to the knapsack problem": the subsets
of each half are sorted by load, so that bisection finds the pairs whose load lies in a window.
Where moves are limited, only subsets with few moves are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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

    def select(self, available: Bits, required: Bits) -> Half:
        """The subsets of the mask `available` that contain the mask `required`."""
        fits = disjoint(self.mask, ~available)
        must = required & self.bits
        if must.any():
            fits &= disjoint(~self.mask, must)
        return self._replace(mask=self.mask[fits], load=self.load[fits], key=self.key[fits])


def subsets(items: ItemMasks, member: int, bits: Ints, most: int, budget: Budget) -> Half:
    """All subsets of the items `bits` that the member may take, with at most its greatest count of
    items, and at most `most` ends of moves. O(their number).

    Raises OutOfBudget.
    """
    hi, words = items.limits[member].hi, items.masks.shape[1]
    gained, lost = items.prices[:, member], items.saved[:, member]
    most_gained = items.most_gained(member, most)
    mask, load = np.zeros((1, words), np.uint64), np.zeros(1, np.int64)
    counts = np.zeros((1, items.n_topics), np.int16)
    ends = gains = np.zeros(1, np.int64)
    alone = items.allowed[:, member] & (items.allowed.sum(axis=1) == 1)
    work = 0
    for bit in bits.tolist():
        # Without the item, and with it.
        stay = (ends + lost[bit] <= most) & ~alone[bit]
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
    of_key = columns[first]
    return Half(
        mask[order], load[order], key[order], of_key[:, :-1], of_key[:, -1], items.mask(bits)
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
        budget.spend(len(right.load) * 8 + len(left.load) * 12 + len(row) * 12)
        start = np.cumsum(partners) - partners
        key = np.nonzero(fits)[1][ranges(start[left.key], (start + partners)[left.key])]
        # One bisection for all keys: by key, and then by the load's place among all loads.
        loads = np.sort(right.load)
        place = right.key * (len(loads) + 1) + np.searchsorted(loads, right.load)
        load = left.load + base
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
        """By ends of moves, ascending."""
        left, right = self.left, self.right
        order = np.argsort(self.ends, kind="stable")
        number, first = self.number[order], self.first[order]
        i, j = np.repeat(self.row[order], number), ranges(first, first + number)
        load = self.base + left.load[i] + right.load[j]
        return Patterns(left.mask[i] | right.mask[j], load, np.repeat(self.ends[order], number))


@dataclass(frozen=True, eq=False, slots=True)
class MemberPatterns:
    """Subsets of both halves of the items of each member class, listed when first asked for."""

    items: ItemMasks
    member_class: list[int]
    halves: dict[tuple[int, int], tuple[Half, Half, Flags] | None] = field(default_factory=dict)

    def join(self, member: int, wanted: Wanted, budget: Budget) -> Join:
        """The member's patterns. Raises OutOfBudget."""
        left, right, fits = self._halves(member, wanted.ends, budget)
        budget.spend(left.mask.size + right.mask.size)
        halves = tuple(half.select(wanted.available, wanted.required) for half in (left, right))
        return Join.of((halves[0], halves[1]), fits, int(self.items.base[member]), wanted, budget)

    def _halves(self, member: int, ends: int, budget: Budget) -> tuple[Half, Half, Flags]:
        ends = max(ends, AT_ONCE)
        key = self.member_class[member], ends
        if key not in self.halves:
            try:
                self.halves[key] = self._listed(member, ends, budget)
            except TooManySets:
                self.halves[key] = None
        found = self.halves[key]
        if found is None:
            raise TooManySets
        return found

    def _listed(self, member: int, ends: int, budget: Budget) -> tuple[Half, Half, Flags]:
        items = self.items
        # What is owned is in both halves, and so is what is not.
        mine = items.saved[:, member] > 0
        bits = np.flatnonzero(items.allowed[:, member] | mine)
        bits = np.concatenate((bits[mine[bits]], bits[~mine[bits]]))
        left, right = (subsets(items, member, bits[i::2], ends, budget) for i in (0, 1))
        budget.spend(left.counts.size * len(right.counts) * 4)
        counts = left.counts[:, None, :] + right.counts[None, :, :]
        return left, right, items.limits[member].admit(counts)
