"""Sums of small subsets: which places a subset takes, its sum, and subsets of one sum.

Subsets of a given sum are found by meeting in the middle: the sums of subsets of one half are
looked up among the sorted sums of the other half (Horowitz and Sahni, "Computing partitions with
applications to the knapsack problem", 1974), separately for each number of elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from equilag.domain.group.group import Ints

MAX_LISTED: Final = 400_000
"""Subsets of one size that are listed, some 20 MB at six places each; more are sampled."""
WORTHWHILE: Final = 0.01
"""Pairs of subset sums, as a share of those of the most productive sizes, below which a division
of the size among the halves is left out."""


class SubsetPlaces:
    """The subsets of `width` places with `size` elements as tables [n, size], listed once each."""

    def __init__(self) -> None:
        self._listed: dict[tuple[int, int], Ints] = {}

    def all_of(self, width: int, size: int) -> Ints:
        """[n, size] every subset; there must be no more than `MAX_LISTED`."""
        known = self._listed.get((width, size))
        if known is None:
            flat = [place for subset in combinations(range(width), size) for place in subset]
            known = np.array(flat, np.int64).reshape(comb(width, size), size)
            self._listed[width, size] = known
        return known

    def drawn(self, width: int, size: int, most: int, rng: np.random.Generator) -> Ints:
        """[n, size] at most `most` subsets: all of them, or a sample where there are more."""
        if comb(width, size) <= min(most, MAX_LISTED):
            return self.all_of(width, size)
        sample = np.sort(rng.integers(width, size=(most, size)), axis=1)
        distinct: Ints = sample[(sample[:, 1:] > sample[:, :-1]).all(axis=1)]
        return distinct


def subset_sums(values: Ints, places: Ints) -> Ints:
    """[..., n] the sums of `values` [..., width] over subsets of places [n, size]."""
    total: Ints = np.zeros((*values.shape[:-1], len(places)), np.int64)
    for column in places.T:
        total += values[..., column]
    return total


def subsets_with_sum(
    values: Ints, size: int, window: tuple[int, int], listed: SubsetPlaces,
    rng: np.random.Generator, share: float = WORTHWHILE,
) -> Iterator[Ints]:  # fmt: skip
    """Yield indices of `size` of the `values` with a sum in the `window`, from least to most.

    The values are halved at random. Divisions of `size` among the halves with fewer pairs of
    subsets than a `share` of the most productive one are left out; of several subsets that share
    their part of one half, one is yielded. None is repeated.
    """
    order = rng.permutation(len(values))
    half = len(values) // 2
    left, right = order[:half], order[half:]
    least, most = window
    for first in _divisions(half, len(values) - half, size, share):
        one, other = listed.all_of(len(left), first), listed.all_of(len(right), size - first)
        known = subset_sums(values[right], other)
        by_sum = np.argsort(known)
        known = known[by_sum]
        wanted = least - subset_sums(values[left], one)
        by_wanted = np.argsort(wanted)  # looking them up in order is four times as fast
        wanted = wanted[by_wanted]
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        beyond = known[place] - wanted
        for hit in np.flatnonzero((beyond >= 0) & (beyond <= most - least)).tolist():
            yield np.concatenate((left[one[by_wanted[hit]]], right[other[by_sum[place[hit]]]]))


def _divisions(left: int, right: int, size: int, share: float) -> list[int]:
    """How many elements the left half may contribute, the most productive number first."""
    pairs = {
        first: comb(left, first) * comb(right, size - first)
        for first in range(max(0, size - right), min(left, size) + 1)
        if max(comb(left, first), comb(right, size - first)) <= MAX_LISTED
    }
    best = max(pairs.values(), default=0)
    return sorted((f for f in pairs if pairs[f] >= share * best), key=lambda f: -pairs[f])
