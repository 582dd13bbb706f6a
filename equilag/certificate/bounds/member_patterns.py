"""Bounds by patterns: prices of partitions show that no plan has all loads in a window.

A pattern is a set of partitions that a member may hold: as many as its counts allow, with a load in
the window. Whatever partitions are priced at, the patterns of a plan are worth as much as all
partitions together. Where the most valuable patterns of all members are worth less, there is no
plan with all loads in the window.
"""

from __future__ import annotations

from math import ceil, comb, floor
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.columns import Floats, Index, ranges
from equilag.domain.group.group import Ints
from equilag.domain.group.member_capacities import Load

MAX_CELLS: Final = 20_000
"""Partitions times members up to which patterns are counted."""
MAX_PATTERNS: Final = 10_000_000
"""Partitions of all patterns of all sorts of members together, some 0.3 s and 150 MB; more are not
listed."""


class HeldPatterns(NamedTuple):
    """What the members of one sort may hold: they may take the same partitions, with the same
    counts and pinned load."""

    members: int
    sets: list[tuple[Index, Ints]]
    """For each number k of items: the items [n, k] and the loads [n]."""

    def within(self, above: Load, below: Load) -> HeldPatterns:
        """Those whose loads are between two loads."""
        fits = [(load > floor(above)) & (load < ceil(below)) for _, load in self.sets]
        kept = [(a[fit], b[fit]) for (a, b), fit in zip(self.sets, fits, strict=True)]
        return self._replace(sets=kept)

    def best(self, price: Ints | Floats, most: int) -> list[tuple[float, Index]]:
        """The most valuable ones of each number of items, up to `most`, with what they are worth;
        `price` is [I]."""
        found = list[tuple[float, Index]]()
        for items, _ in self.sets:
            worth = price[items].sum(axis=1)
            top = np.argpartition(-worth, most)[:most] if len(worth) > most else slice(None)
            found += zip(worth[top].tolist(), items[top], strict=True)
        return found


class MemberSort(NamedTuple):
    """Members that are alike: the same partitions, counts and pinned load."""

    one: int
    members: int
    may: int
    """Partitions that each may take."""
    counts: range


def sorts_of(problem: SmallProblem) -> list[MemberSort]:
    """The sorts of members of a small problem."""
    columns = [problem.allowed.T, problem.base[:, None], problem.lo[:, None], problem.hi[:, None]]
    _, one, number = np.unique(np.hstack(columns), axis=0, return_index=True, return_counts=True)
    lo, may = problem.lo, problem.allowed.sum(axis=0)
    hi = np.minimum(problem.hi, may)
    return [
        MemberSort(j, members, int(may[j]), range(int(lo[j]), int(hi[j]) + 1))
        for j, members in zip(one.tolist(), number.tolist(), strict=True)
    ]


def pattern_size(problem: SmallProblem) -> int | None:
    """How many partitions all patterns have together; None where they are too many to be listed, or
    capacities differ."""
    size = sum(k * comb(sort.may, k) for sort in sorts_of(problem) for k in sort.counts)
    return size if problem.capacities is None and size <= MAX_PATTERNS else None


def patterns_of(problem: SmallProblem) -> list[HeldPatterns] | None:
    """The patterns of all sorts of members; None where `pattern_size` is."""
    if pattern_size(problem) is None:
        return None
    sorts, widest = sorts_of(problem), dict[int, int]()
    for sort in sorts:
        widest.update((k, max(sort.may, widest.get(k, 0))) for k in sort.counts)
    places, found = {k: all_sets(n, k) for k, n in widest.items()}, []
    for sort in sorts:
        mine = np.flatnonzero(problem.allowed[:, sort.one]).astype(np.int32)
        sets = [mine[places[k][: comb(sort.may, k)]] for k in sort.counts]
        base = int(problem.base[sort.one])
        weighed = [(items, base + problem.lag[items].sum(axis=1)) for items in sets]
        found.append(HeldPatterns(sort.members, weighed))
    return found


def all_sets(n: int, k: int) -> Index:
    """[sets, k] all sets of k numbers below n, those below any number first."""
    if 2 * k > n:  # what they leave out is less
        inside = np.ones((comb(n, k), n), np.bool_)
        np.put_along_axis(inside, all_sets(n, n - k), False, axis=1)
        sets = np.nonzero(inside)[1].reshape(-1, k).astype(np.int32)
        return sets[np.argsort(sets[:, -1], kind="stable")]
    sets = np.zeros((1, 0), np.int32)
    for size in range(k):
        smaller = np.array([comb(last, size) for last in range(n)], np.int64)
        last = np.repeat(np.arange(n, dtype=np.int32), smaller)
        sets = np.column_stack((sets[ranges(np.zeros_like(smaller), smaller)], last))
    return sets


def pattern_room(patterns: list[HeldPatterns], price: Ints) -> int:
    """What the most valuable patterns of all members are worth above all partitions [I]; below 0
    there is no plan of such patterns."""
    room = -int(price.sum())
    for sort in patterns:
        best = max((int(worth) for worth, _ in sort.best(price, 1)), default=None)
        if best is None:
            return -1
        room += sort.members * best
    return room
