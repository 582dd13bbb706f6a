"""A member's possible shares of a few items ("patterns"), joined from two halves of the items.

Horowitz and Sahni, "Computing partitions with applications to the knapsack problem": the subsets
of each half are sorted by load, so that pairs whose load lies in a window are found by bisection.
Bit b of a mask stands for the b-th heaviest item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from equilag.group import Flags, Ints

OVERHEAD: Final = 4_000
"""What any step costs besides its array elements, in elements: Python, and NumPy's calls."""


class OutOfBudget(Exception):
    """The search was cut short: nothing found so far, and nothing proved."""


@dataclass(slots=True)
class Budget:
    """Work left, in array elements touched: deterministic, unlike time.

    `stop` is asked now and then; `stopped` tells that it, not the work, ended the search.
    """

    work: int
    stop: Callable[[], bool] = lambda: False
    stopped: bool = False
    node: int = 0
    """What each node of a search costs besides; 0 where only arrays count."""

    def enter(self) -> None:
        """Pay for a node."""
        if self.node:
            self.spend(self.node)

    def spend(self, amount: int) -> None:
        self.work -= amount + OVERHEAD
        if self.work < 0:
            raise OutOfBudget
        if self.stop():
            self.stopped = True
            raise OutOfBudget


class Patterns(NamedTuple):
    """Masks and loads [n]; a load includes what the member carries besides."""

    mask: Ints
    load: Ints

    def where(self, keep: Flags) -> Patterns:
        return Patterns(self.mask[keep], self.load[keep])


class Limits(NamedTuple):
    """What a pattern of one member must keep to."""

    lo: int
    hi: int
    topic_lo: tuple[int, ...] | None
    topic_hi: tuple[int, ...] | None

    def pairs(self, left: Half, right: Half, budget: Budget) -> list[tuple[int, int]]:
        """Which keys of two halves may be joined, whatever their loads."""
        budget.spend(left.counts.size * len(right.counts) * 4)
        counts = left.counts[:, None, :] + right.counts[None, :, :]
        total = counts.sum(axis=2)
        fits = (total >= self.lo) & (total <= self.hi)
        if self.topic_lo is not None and self.topic_hi is not None:
            fits &= (counts >= np.array(self.topic_lo)).all(axis=2)
            fits &= (counts <= np.array(self.topic_hi)).all(axis=2)
        return [(a, b) for a, b in np.argwhere(fits).tolist()]


@dataclass(frozen=True, eq=False, slots=True)
class Half:
    """All subsets of one half of the items, by key and then by load.

    A key is (items per topic, or of all topics; items that stay with the member).
    """

    mask: Ints
    load: Ints
    key: Ints
    counts: Ints
    """[keys, topics or 1]"""
    stay: list[int]
    """Of each key, how many items stay with the member."""

    def select(self, available: int, forced: int) -> Half:
        fits = (self.mask & ~available == 0) & (self.mask & forced == forced)
        return Half(self.mask[fits], self.load[fits], self.key[fits], self.counts, self.stay)

    def starts(self) -> list[int]:
        """Where each key's subsets begin, and where the last ones end."""
        starts: list[int] = np.searchsorted(self.key, np.arange(len(self.stay) + 1)).tolist()
        return starts


class Subsets(NamedTuple):
    """The subsets of one half before they are keyed for a member: by load."""

    mask: Ints
    load: Ints
    counts: Ints
    """[subsets, topics or 1]"""
    bits: int

    def keyed(self, own: int) -> Half:
        """`own`: mask of the items whose staying counts; 0 where moves do not matter."""
        kept = np.bitwise_count(self.mask & own).astype(np.int64)
        key = kept
        radix = int(kept.max(initial=0)) + 1
        for column in self.counts.T:
            key = key + radix * column
            radix *= int(column.max(initial=0)) + 1
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        number = number.ravel()
        order = np.argsort(number, kind="stable")  # loads stay ascending within a key
        counts, stay = self.counts[first], kept[first].tolist()
        return Half(self.mask[order], self.load[order], number[order], counts, stay)


def subsets(
    lag: Ints, topic: Ints, n_topics: int, bits: list[int], most: int, budget: Budget
) -> Subsets:
    """All subsets of the items `bits` with at most `most` of them; O(2^len(bits))."""
    mask, load = np.zeros(1, np.int64), np.zeros(1, np.int64)
    counts = np.zeros((1, n_topics), np.int16)
    for bit in bits:
        extra = counts.copy()
        extra[:, int(topic[bit])] += 1
        fits = extra.sum(axis=1) <= most
        mask = np.concatenate((mask, mask[fits] | (1 << bit)))
        load = np.concatenate((load, load[fits] + lag[bit]))
        counts = np.concatenate((counts, extra[fits]))
        budget.spend(len(mask) * 4)
    order = np.argsort(load, kind="stable")
    all_bits = sum(1 << bit for bit in bits)
    return Subsets(mask[order], load[order], counts[order].astype(np.int64), all_bits)


@dataclass(frozen=True, eq=False, slots=True)
class Join:
    """Pairs of half patterns inside a window: counted at once, built only when wanted."""

    left: Half
    right: Half
    base: int
    parts: list[tuple[int, Ints, Ints]]
    total: int

    @staticmethod
    def of(
        left: Half, right: Half, pairs: list[tuple[int, int]], low: int, high: int, base: int,
        stay: int, budget: Budget,
    ) -> Join:  # fmt: skip
        """Pairs with `low` ≤ load ≤ `high`, `base` included, of which `stay` items or more stay.

        `pairs` are the keys that may be joined, see `Limits.pairs`.
        """
        start_l, start_r = left.starts(), right.starts()
        parts, total = [], 0
        budget.spend(len(pairs) * 30)
        for a, b in pairs:
            begin, end = start_r[b], start_r[b + 1]
            if start_l[a] == start_l[a + 1] or begin == end or left.stay[a] + right.stay[b] < stay:
                continue
            loads = left.load[start_l[a] : start_l[a + 1]] + base
            theirs = right.load[begin:end]
            first = begin + np.searchsorted(theirs, low - loads, side="left")
            last = begin + np.searchsorted(theirs, high - loads, side="right")
            number = int((last - first).sum())
            budget.spend(len(loads) * 8)
            if number:
                parts.append((start_l[a], first, last))
                total += number
        return Join(left, right, base, parts, total)

    def patterns(self) -> Patterns:
        masks, loads = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for offset, first, last in self.parts:
            length = last - first
            a = offset + np.repeat(np.arange(len(first)), length)
            shift = np.repeat(first - (np.cumsum(length) - length), length)
            b = np.arange(len(a)) + shift
            masks.append(self.left.mask[a] | self.right.mask[b])
            loads.append(self.base + self.left.load[a] + self.right.load[b])
        return Patterns(np.concatenate(masks), np.concatenate(loads))
