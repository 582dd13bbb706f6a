"""Chains of moves: the moves of a plan, cut into exchanges, cycles and paths.

In a chain each move begins where the one before ends. A chain that ends where it began leaves all
counts as they were: two partitions that change places, or a cyclic exchange. A path takes one
partition from its first member and gives one to its last.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.columns import Flags, Ints

LOOKED_AT: Final = 8
"""Moves of a member that are looked at for a short cycle: an exchange of few partitions is seen at
a glance. Each costs a tenth of a microsecond per move."""


class Chains(NamedTuple):
    """The moves [n], chain by chain; every move is in exactly one."""

    order: Ints
    """[n] moves, those of a chain in a row; a cycle begins with its heaviest one."""
    begin: Ints
    """[chains + 1] where each chain begins in `order`."""
    closed: Flags
    """[chains] True for a cycle."""

    @property
    def chain_of(self) -> Ints:
        """[n] the chain of each move."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.repeat(np.arange(len(self.closed)), np.diff(self.begin))
        return found

    @property
    def before(self) -> Ints:
        """[n] the move before each one in its chain, -1 for the first of a path."""
        length = len(self.order)
        place = np.arange(length) - 1
        first, last = self.begin[:-1], self.begin[1:] - 1
        place[first] = np.where(self.closed, last, -1)
        found = np.full(length, -1, dtype=np.int64)
        known = place >= 0
        found[self.order[known]] = self.order[place[known]]
        return found


def chains_of(source: Ints, target: Ints, weight: Ints) -> Chains:
    """Cut moves [n] from `source` to `target` into chains. O(n log n).

    Partitions that change places between two members are paired first, the heaviest of both sides
    together. What is left is cut as Hierholzer's algorithm walks (1873): from members that give
    more partitions than they get, and then in cycles; the heaviest move of a member first,
    unless a lighter one closes a shorter cycle.
    """
    pairs = _pairs(source, target, weight)
    alone = np.ones(len(source), dtype=np.bool_)
    alone[pairs] = False
    rest = np.flatnonzero(alone)
    walked, ends, is_closed = _walks(source[rest], target[rest], weight[rest])
    order = np.concatenate((pairs, rest[walked]))
    begin = np.concatenate((np.arange(0, len(pairs), 2), len(pairs) + ends))
    closed = np.concatenate((np.ones(len(pairs) // 2, dtype=np.bool_), is_closed))
    return Chains(order, begin, closed)


def _pairs(source: Ints, target: Ints, weight: Ints) -> Ints:
    """[2 x pairs] moves that go opposite ways between the same two members, side by side."""
    low, high = np.minimum(source, target), np.maximum(source, target)
    forth = source < target
    order = np.lexsort((-weight, forth, high, low))
    keys = np.stack((low, high, forth))[:, order]
    new = np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0))[: len(order)]
    first = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rank = np.arange(len(order)) - first
    by_rank = np.lexsort((rank, keys[1], keys[0]))
    columns = np.stack((keys[0], keys[1], rank))[:, by_rank]
    met = np.flatnonzero((columns[:, 1:] == columns[:, :-1]).all(axis=0))
    found = order[by_rank]
    one, other = found[met], found[met + 1]
    first = np.where(weight[one] < weight[other], other, one)
    return np.stack((first, one + other - first), axis=1).reshape(-1)


def _nearest(leaving: list[int], goes: list[int], place: dict[int, int]) -> int:
    """Where the move to take stands among the heaviest ones that leave a member: the one that
    closes the shortest cycle, else the heaviest."""
    found, latest = -1, -1
    for back in range(1, min(LOOKED_AT, len(leaving)) + 1):
        at = place.get(goes[leaving[-back]], -1)
        if at > latest:
            found, latest = -back, at
    return found


def _walks(source: Ints, target: Ints, weight: Ints) -> tuple[Ints, Ints, Flags]:
    """Moves in the order of the walks, [chains + 1] where each begins, and which are cycles."""
    goes, weights = target.tolist(), weight.tolist()
    leaving: dict[int, list[int]] = {}
    ascending = np.lexsort((-np.arange(len(source)), weight))
    for move, member in zip(ascending.tolist(), source[ascending].tolist(), strict=True):
        leaving.setdefault(member, []).append(move)
    size = 1 + int(max(source.max(initial=-1), target.max(initial=-1)))
    surplus = np.bincount(source, minlength=size) - np.bincount(target, minlength=size)
    starts = np.repeat(np.arange(size), np.maximum(surplus, 0)).tolist()
    found: list[list[int]] = []
    closed: list[bool] = []

    def walk(start: int) -> None:
        trail: list[int] = []
        member, place = start, {start: 0}
        while leaving.get(member):
            move = leaving[member].pop(_nearest(leaving[member], goes, place))
            trail.append(move)
            member = goes[move]
            if member not in place:
                place[member] = len(trail)
                continue
            cut = place[member]
            cycle = trail[cut:]
            heaviest = cycle.index(max(cycle, key=weights.__getitem__))
            found.append(cycle[heaviest:] + cycle[:heaviest])
            closed.append(True)
            for gone in cycle[:-1]:
                del place[goes[gone]]
            del trail[cut:]
        if trail:
            found.append(trail)
            closed.append(False)

    for start in starts:
        walk(start)
    for member in list(leaving):
        while leaving[member]:
            walk(member)
    lengths = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
    begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    moves = np.fromiter((move for one in found for move in one), np.int64, len(source))
    return moves, begin, np.array(closed, dtype=np.bool_)
