"""The sets of items that one member may take ("patterns"), joined from two halves of the items.

Horowitz and Sahni, "Computing partitions with applications to the knapsack problem": the subsets
of each half are sorted by load, so that bisection finds the pairs whose load lies in a window.
Bit b of a mask stands for the b-th heaviest item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.group.group import Flags, Ints

Layers: TypeAlias = tuple[tuple[int, int], ...]
"""What a member owns: masks of the items that save so many moves more by staying. An item is in all
layers up to what it saves."""


@dataclass(frozen=True, eq=False, slots=True)
class Half:
    """All subsets of one half of the items, by key and then by load.

    A key is (items per topic, or of all topics; moves that are saved).
    """

    mask: Ints
    load: Ints
    key: Ints
    counts: Ints
    """[keys, topics or 1]"""
    kept: list[int]
    """Per key, how many moves the items save by staying with the member."""

    def select(self, available: int, required: int) -> Half:
        """The subsets of the mask `available` that contain the mask `required`."""
        fits = (self.mask & ~available == 0) & (self.mask & required == required)
        return Half(self.mask[fits], self.load[fits], self.key[fits], self.counts, self.kept)

    def starts(self) -> list[int]:
        """[keys + 1] index of each key's first subset; the last value is the number of subsets."""
        starts: list[int] = np.searchsorted(self.key, np.arange(len(self.kept) + 1)).tolist()
        return starts


def kept_of(masks: Ints, own: Layers) -> Ints:
    """The moves that the items of each mask save by staying."""
    kept = np.zeros(masks.shape, np.int64)
    for layer, moves in own:
        kept += np.bitwise_count(masks & layer).astype(np.int64) * moves
    return kept


class Halves(NamedTuple):
    left: Half
    right: Half


class Subsets(NamedTuple):
    """The subsets of one half before they are keyed for a member: by load."""

    mask: Ints
    load: Ints
    counts: Ints
    """[subsets, topics or 1]"""
    bits: int
    """Mask of the items of this half."""

    def keyed(self, own: Layers) -> Half:
        """`own`: the items whose staying counts; no layer where moves do not matter."""
        kept = kept_of(self.mask, own)
        values, key = np.unique(kept, return_inverse=True)
        key, radix = key.ravel(), len(values)
        for column in self.counts.T:
            key = key + radix * column
            radix *= int(column.max(initial=0)) + 1
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        number = number.ravel()
        order = np.argsort(number, kind="stable")  # loads stay ascending within a key
        counts, kept_by_key = self.counts[first], kept[first].tolist()
        return Half(self.mask[order], self.load[order], number[order], counts, kept_by_key)


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
