"""All subsets of one half of the items, by load and by key: what patterns are joined from.

Bit b of a mask stands for the b-th heaviest item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.group.group import Ints

Layers: TypeAlias = tuple[int, ...]
"""What a member owns: the kth is the mask of the items that save k moves or more by staying."""


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
    for layer in own:
        kept += np.bitwise_count(masks & layer)
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
        key = kept
        radix = int(kept.max(initial=0)) + 1
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
