"""The sets of items that one member may take ("patterns"), joined from two halves of the items.

Horowitz and Sahni, "Computing partitions with applications to the knapsack problem": the subsets
of each half are sorted by load, so that bisection finds the pairs whose load lies in a window.
Bit b of a mask stands for the b-th heaviest item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.certificate.exhaustive.subsets import Halves
from equilag.domain.budget import Budget
from equilag.domain.group.group import Flags, Ints


class Patterns(NamedTuple):
    """Masks and loads [n], as loads are compared; a load includes the member's base load."""

    mask: Ints
    load: Ints

    def where(self, keep: Flags) -> Patterns:
        return Patterns(self.mask[keep], self.load[keep])


class PatternLimits(NamedTuple):
    """Fewest and most items of one member, in all and per topic."""

    lo: int
    hi: int
    topic_lo: tuple[int, ...] | None
    topic_hi: tuple[int, ...] | None

    def joinable_keys(self, halves: Halves, budget: Budget) -> list[tuple[int, int]]:
        """Pairs of keys, one of each half, whose item counts together meet the limits."""
        left, right = halves
        budget.spend(left.counts.size * len(right.counts) * 4)
        counts = left.counts[:, None, :] + right.counts[None, :, :]
        total = counts.sum(axis=2)
        fits = (total >= self.lo) & (total <= self.hi)
        if self.topic_lo is not None and self.topic_hi is not None:
            fits &= (counts >= np.array(self.topic_lo)).all(axis=2)
            fits &= (counts <= np.array(self.topic_hi)).all(axis=2)
        return [(a, b) for a, b in np.argwhere(fits).tolist()]


class JoinWindow(NamedTuple):
    """Which pairs of half patterns are wanted."""

    low: int
    """Least load, base load included, not scaled."""
    high: int
    base: int
    """The member's base load."""
    min_kept: int
    """Fewest items that stay with the member."""
    factor: int = 1
    """What the member's load is multiplied by to be compared."""


@dataclass(frozen=True, eq=False, slots=True)
class Join:
    """Pairs of half patterns inside a window: counted first, listed only by `patterns`."""

    halves: Halves
    base: int
    factor: int
    parts: list[tuple[int, Ints, Ints]]
    """Index of a key's first left subset; per left subset, the first right partner and the end."""
    total: int
    """Number of pairs."""

    @staticmethod
    def of(halves: Halves, keys: list[tuple[int, int]], window: JoinWindow, budget: Budget) -> Join:
        """`keys` are the pairs of keys that may be joined, see `PatternLimits.joinable_keys`."""
        left, right = halves
        low, high, base, min_kept, factor = window
        start_l, start_r = left.starts(), right.starts()
        kept_l, kept_r = left.kept, right.kept
        parts, total = [], 0
        budget.spend(len(keys) * 30)
        for a, b in keys:
            begin, end = start_r[b], start_r[b + 1]
            if start_l[a] == start_l[a + 1] or begin == end or kept_l[a] + kept_r[b] < min_kept:
                continue
            loads = left.load[start_l[a] : start_l[a + 1]] + base
            partners = right.load[begin:end]
            first = begin + np.searchsorted(partners, low - loads, side="left")
            last = begin + np.searchsorted(partners, high - loads, side="right")
            number = int((last - first).sum())
            budget.spend(len(loads) * 8)
            if number:
                parts.append((start_l[a], first, last))
                total += number
        return Join(halves, base, factor, parts, total)

    def patterns(self) -> Patterns:
        left, right = self.halves
        masks, loads = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for offset, first, last in self.parts:
            length = last - first
            a = offset + np.repeat(np.arange(len(first)), length)
            shift = np.repeat(first - (np.cumsum(length) - length), length)
            b = np.arange(len(a)) + shift
            masks.append(left.mask[a] | right.mask[b])
            loads.append(self.base + left.load[a] + right.load[b])
        load = np.concatenate(loads)
        return Patterns(np.concatenate(masks), load if self.factor == 1 else load * self.factor)
