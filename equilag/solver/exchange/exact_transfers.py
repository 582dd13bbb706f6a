"""Exact transfers: bring the loads of alike members to their targets, many members at once.

A member with excess e exchanges a small subset A of its partitions for a subset B of as many
partitions of another member, where the lag of A exceeds that of B by exactly e. The sums of the
subsets of all members off target are sorted; B is looked up in them. The other member takes over
the excess, so each exchange puts one more member on target.

Subsets of a given sum are found by meeting in the middle: the sums of subsets of one half are
looked up among the sorted sums of the other half (Horowitz and Sahni, "Computing partitions with
applications to the knapsack problem", 1974), separately for each number of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import TABLE
from equilag.domain.group.group import Flags, Ints
from equilag.solver.local_search.assignment_state import disjoint_pairs

PRODUCTIVE: Final = 0.1
"""Pairs of subset sums, as a share of those of the most productive division of a size among the
halves, below which a division is left out: the next attempt has other halves."""


class SubsetPlaces:
    """The subsets of `width` places with `size` elements as tables [n, size], listed once each."""

    def __init__(self) -> None:
        self._listed: dict[tuple[int, int], Ints] = {}

    def all_of(self, width: int, size: int) -> Ints:
        """[n, size] every subset; there must be no more than `TABLE`."""
        known = self._listed.get((width, size))
        if known is None:
            flat = [place for subset in combinations(range(width), size) for place in subset]
            known = np.array(flat, np.int64).reshape(comb(width, size), size)
            self._listed[width, size] = known
        return known

    def drawn(self, width: int, size: int, most: int, rng: np.random.Generator) -> Ints:
        """[n, size] at most `most` subsets: all of them, or a sample where there are more."""
        if comb(width, size) <= min(most, TABLE):
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
    rng: np.random.Generator,
) -> Iterator[Ints]:  # fmt: skip
    """Yield indices of `size` of the `values` with a sum in the `window`, from least to most.

    The values are halved at random. The divisions of `size` among the halves with the most pairs of
    subsets come first, unproductive ones not at all; of several subsets that share their part of
    one half, one is yielded. None is repeated.
    """
    order = rng.permutation(len(values))
    half = len(values) // 2
    left, right = order[:half], order[half:]
    least, most = window
    for first in _divisions(half, len(values) - half, size):
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


def _divisions(left: int, right: int, size: int) -> list[int]:
    """How many elements the left half may contribute, the most productive number first."""
    pairs = {
        first: comb(left, first) * comb(right, size - first)
        for first in range(max(0, size - right), min(left, size) + 1)
        if max(comb(left, first), comb(right, size - first)) <= TABLE
    }
    least = PRODUCTIVE * max(pairs.values(), default=0)
    return sorted((f for f in pairs if pairs[f] >= least), key=lambda f: -pairs[f])


PIECE: Final = 10_000
"""Subset sums for which a stop condition is asked once: about 1 ms."""


class TargetRows:
    """Members as the rows of a table of places [members, width], with the loads they should have.

    Some places may be empty: without lag, and not two in one row.
    """

    def __init__(
        self, table: Ints, lag: Ints, n_partitions: int, targets: Ints, within: int = 0
    ) -> None:
        """`lag` [places] is that of partitions, then of empty places; the targets add up.

        A load is on target if it is no further than `within` from it.
        """
        self.table = table
        self.lag = lag
        self.n_partitions = n_partitions
        self.targets = targets
        self.within = within
        self.excess: Ints = lag[table].sum(axis=1) - targets

    @property
    def off(self) -> Ints:
        """The rows whose load is not on target."""
        return np.flatnonzero(np.abs(self.excess) > self.within)

    @cached_property
    def variance(self) -> float:
        """Of the lags of all partitions, which no search changes."""
        places = self.table[self.table < self.n_partitions]
        return float(np.var(self.lag[places].astype(np.float64)))

    @property
    def spread(self) -> int:
        loads = self.excess + self.targets
        return int(loads.max() - loads.min())

    @property
    def rigidity(self) -> Ints:
        """Quarters of the target that the heaviest partition of each row has: the more, the fewer
        subsets of other partitions put such a row on target."""
        heaviest: Ints = 4 * self.lag[self.table].max(axis=1) // np.maximum(self.targets, 1)
        return heaviest

    def empty(self, rows: Ints) -> Flags:
        """True for the rows with an empty place."""
        found: Flags = np.logical_or.reduce(self.table[rows] >= self.n_partitions, axis=1)
        return found

    def restore(self, table: Ints) -> None:
        """Take over the places of all rows."""
        self.table[:] = table
        self.excess = self.lag[table].sum(axis=1) - self.targets

    def refill(self, row: int, places: Ints) -> None:
        """Give a row other places, as many as it had."""
        self.table[row] = places
        self.excess[row] = self.lag[places].sum() - self.targets[row]


class _Exchanges(NamedTuple):
    """Exchanges of equally many places between two rows each: elementwise."""

    giver: Ints
    given: Ints
    """[n, size] columns of the giver's row."""
    taker: Ints
    taken: Ints
    change: Ints
    """Lag that the giver hands over, net."""

    def only(self, chosen: Ints | Flags) -> _Exchanges:
        return _Exchanges(*(column[chosen] for column in self))


def transfer_exactly(
    rows: TargetRows, listed: SubsetPlaces, rng: np.random.Generator, stop: Callable[[], bool]
) -> None:
    """Put rows on target, by single places first, then by larger subsets, until none follows.

    `stop` is asked before each `PIECE` of subset sums.
    """
    width, size = rows.table.shape[1], 1
    while len(off := rows.off) > 1:
        places = listed.drawn(width, size, TABLE // len(off), rng)
        if any(stop() for _ in range(1 + len(off) * len(places) // PIECE)):
            return
        if _transfer(rows, off, places, rng):
            continue
        if size >= width // 2 or 2 * len(places) >= TABLE // len(off):  # a sample of them
            return
        size += 1


def _transfer(rows: TargetRows, off: Ints, places: Ints, rng: np.random.Generator) -> int:
    """Make one round of exchanges between rows off target; returns how many reach their target."""
    found = _candidates(rows, off, places, rng)
    after = np.abs(rows.excess[found.taker] + found.change)
    rigid = rows.rigidity
    eased = rigid[found.taker] - rigid[found.giver]
    found = found.only(np.lexsort((rng.random(len(after)), after, eased)))
    found = found.only(disjoint_pairs(found.giver, found.taker, len(rows.table)))
    given = rows.table[found.giver[:, None], found.given]
    taken = rows.table[found.taker[:, None], found.taken]
    rows.table[found.giver[:, None], found.given] = taken
    rows.table[found.taker[:, None], found.taken] = given
    rows.excess[found.taker] += found.change
    rows.excess[found.giver] -= found.change
    return len(off) - len(rows.off)


def _candidates(rows: TargetRows, off: Ints, places: Ints, rng: np.random.Generator) -> _Exchanges:
    """The exchanges that put the giver on target: at most one for each subset of its places."""
    sums = subset_sums(rows.lag[rows.table[off]], places).ravel()
    order = np.argsort(sums)
    sums = sums[order]
    row, subset = np.divmod(order, len(places))
    least = sums - rows.excess[off][row] - rows.within
    first = np.searchsorted(sums, least)
    hit = np.flatnonzero(sums[np.minimum(first, len(sums) - 1)] - least <= 2 * rows.within)
    first = first[hit]
    several = np.searchsorted(sums, least[hit] + 2 * rows.within, side="right") - first
    partner = first + (rng.random(len(hit)) * several).astype(np.int64)
    partner = np.minimum(partner, len(sums) - 1)
    found = _Exchanges(
        off[row[hit]], places[subset[hit]], off[row[partner]], places[subset[partner]],
        sums[hit] - sums[partner],
    )  # fmt: skip
    found = found.only(several > 0)
    return found.only((found.giver != found.taker) & _keeps_counts(rows, found))


def _keeps_counts(rows: TargetRows, found: _Exchanges) -> Flags:
    """True where no row gets a second empty place."""
    if len(rows.lag) == rows.n_partitions:
        return np.ones(len(found.giver), np.bool_)
    limit = rows.n_partitions
    out = (rows.table[found.giver[:, None], found.given] >= limit).any(axis=1)
    into = (rows.table[found.taker[:, None], found.taken] >= limit).any(axis=1)
    second = (into & ~out & rows.empty(found.giver)) | (out & ~into & rows.empty(found.taker))
    kept: Flags = ~second
    return kept
