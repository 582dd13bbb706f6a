"""What a member can end up with: what it keeps of its own, joined with what it gains."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_problem import Bits, MoveProblem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.columns import ranges
from equilag.domain.group.group import NOBODY, Ints

MAX_SETS: Final = 1_000_000
"""Words of the masks of one list: some 50 MB, and a tenth of a second that nothing interrupts."""
WHOLE_SETS: Final = 50_000
"""Words of the masks of one list of gains, above which they are joined from two halves: such a list
takes some milliseconds, and the join lists only those gains whose load fits."""


class TooManySets(OutOfBudget):
    """A list would be too long."""


class GainedSets(NamedTuple):
    """Sets of items to gain, by load: n sets of g items each."""

    mask: Bits
    """[n, W]"""
    load: Ints
    moves: Ints
    """Items of the set that somebody else owns."""
    items: Ints
    """[n, g]"""
    missed: Ints
    """Items of the set that their owners must replace, since they own no more than they need."""


class HeldSets(NamedTuple):
    """What one member may hold in the end: n sets that gain g items each."""

    mask: Bits
    """[n, W]"""
    load: Ints
    """Base load included."""
    moves: Ints
    gained: Ints
    """[n, g]"""


@dataclass(eq=False)
class ListedSets:
    """The sets of a problem's members, listed when they are first asked for."""

    problem: MoveProblem
    _gained: dict[tuple[int, int, int, int], list[tuple[GainedSets, GainedSets]]] = field(
        default_factory=dict
    )
    _kept: dict[tuple[int, int, int], tuple[Bits, Ints]] = field(default_factory=dict)

    @cached_property
    def masks(self) -> Bits:
        return self.problem.masks()

    @cached_property
    def own(self) -> Bits:
        """[J, W] the items of each owner."""
        p = self.problem
        rows = [self.masks[p.first[m] : p.first[m + 1]] for m in range(p.members)]
        return np.array([np.bitwise_or.reduce(row, axis=0) for row in rows])

    @cached_property
    def only(self) -> list[Ints]:
        """[J] the items that nobody but the member may take."""
        allowed = self.problem.allowed
        alone = allowed.sum(axis=1) == 1
        return [np.flatnonzero(alone & allowed[:, m]) for m in range(self.problem.members)]

    @cached_property
    def due(self) -> list[Ints]:
        """[J] the items that the member must gain."""
        owner = self.problem.owner
        return [items[owner[items] != m] for m, items in enumerate(self.only)]

    @cached_property
    def stuck(self) -> list[int]:
        """[J] mask of the member's own items that it must keep, from its first item on."""
        p = self.problem
        return [
            sum(1 << int(i - p.first[m]) for i in items if p.owner[i] == m)
            for m, items in enumerate(self.only)
        ]

    @cached_property
    def banned(self) -> list[int]:
        """[J] mask of the member's own items that it must lose, from its first item on."""
        p = self.problem
        return [
            sum(1 << k for k in range(p.counts[m]) if not p.allowed[p.first[m] + k, m])
            for m in range(p.members)
        ]

    @cached_property
    def spare(self) -> Ints:
        """[J + 1] items that each owner can lose without a gain; of items without an owner, all."""
        p = self.problem
        return np.append(np.maximum(p.counts[: p.members] - p.lo, 0), len(p.lag))

    def gained(
        self, member: int, size: int, item: int, missed: int, budget: Budget
    ) -> list[tuple[GainedSets, GainedSets]]:
        """All sets of `size` items of others that the member may gain, `item` among them (or
        NOBODY), of which the owners must replace at most `missed`.

        Each is one set of the first list of a pair, joined with one of the second. A pair may also
        make sets of which more must be replaced.
        """
        key = member, size, item, min(missed, size)
        if key not in self._gained:
            self._gained[key] = self._list_gained(key, budget)
        return self._gained[key]

    def _list_gained(
        self, key: tuple[int, int, int, int], budget: Budget
    ) -> list[tuple[GainedSets, GainedSets]]:
        p, (member, size, item, missed) = self.problem, key
        must = self.due[member]
        if item != NOBODY:
            must = np.union1d(must, [item])
        pool = np.setdiff1d(np.flatnonzero(p.allowed[:, member] & (p.owner != member)), must)
        chosen = size - len(must)
        if not 0 <= chosen <= len(pool):
            return []
        middle = 0
        if comb(len(pool), chosen) * p.words > WHOLE_SETS:
            # All items of one owner are in the same half; those without an owner may be in both.
            half = int(pool[len(pool) // 2])
            begins = (
                int(p.first[np.searchsorted(p.first[:-1], half)]) if half < p.first[-1] else half
            )
            middle = int(np.searchsorted(pool, begins))
        made = []
        for first in range(min(chosen, middle) + 1):
            if chosen - first <= len(pool) - middle:
                one = self._sets_of(pool[:middle], first, must, missed, budget)
                rest = chosen - first
                made.append((one, self._sets_of(pool[middle:], rest, must[:0], missed, budget)))
        return made

    def _sets_of(
        self, pool: Ints, size: int, must: Ints, missed: int, budget: Budget
    ) -> GainedSets:
        """All sets of `must` and `size` items of the pool, of which at most `missed` must be
        replaced by the owners; `must` does not count."""
        p = self.problem
        chosen, lacking = self._chosen(pool, size, missed, budget)
        fixed = np.broadcast_to(must, (len(chosen), len(must)))
        items = np.concatenate((chosen, fixed), axis=1).astype(np.int64)
        load = p.lag[items].sum(axis=1)
        order = np.argsort(load, kind="stable")
        items = items[order]
        mask = np.bitwise_or.reduce(self.masks[items], axis=1)
        moves = (p.owner[items] != NOBODY).sum(axis=1)
        return GainedSets(mask, load[order], moves, items, lacking[order])

    def _chosen(self, pool: Ints, size: int, missed: int, budget: Budget) -> tuple[Ints, Ints]:
        """[n, size] sets of items of the pool, and how many of each the owners must replace."""
        p = self.problem
        owner, spare = p.owner[pool], self.spare
        place = np.full((1, 1), -1)
        lacking, run = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for taken in range(size):
            last = place[:, -1]
            end = np.maximum(last + 1, len(pool) - (size - taken - 1))
            total = int((end - last - 1).sum())
            if total * p.words > MAX_SETS:
                raise TooManySets
            budget.spend(total * (taken + 6))
            base, here = np.repeat(np.arange(len(place)), end - last - 1), ranges(last + 1, end)
            same = (last[base] >= 0) & (owner[here] == owner[last[base]])
            run = np.where(same, run[base] + 1, 1)
            lacking = lacking[base] + (run > spare[owner[here]])
            fits = lacking <= missed
            place = np.column_stack((place[base[fits]], here[fits]))
            lacking, run = lacking[fits], run[fits]
        return pool[place[:, 1:]], lacking

    def kept(self, member: int, lost: int, size: int, budget: Budget) -> tuple[Bits, Ints]:
        """Masks [n, W] and loads [n] after the member loses `size` of its own, `lost` included."""
        key = member, lost, size
        if key not in self._kept:
            self._kept[key] = self._list_kept(member, lost | self.banned[member], size, budget)
        return self._kept[key]

    def _list_kept(self, member: int, lost: int, size: int, budget: Budget) -> tuple[Bits, Ints]:
        p, masks = self.problem, self.masks
        first, n = int(p.first[member]), int(p.counts[member])
        if lost & self.stuck[member]:
            return np.zeros((0, p.words), np.uint64), np.zeros(0, np.int64)
        must = np.array([first + k for k in range(n) if lost >> k & 1], dtype=np.int64)
        open_bits = ~(lost | self.stuck[member])
        pool = np.array([first + k for k in range(n) if open_bits >> k & 1], dtype=np.int64)
        chosen = pool[_combinations(len(pool), size - len(must), p.words, budget)]
        away = np.bitwise_or.reduce(masks[chosen], axis=1) | np.bitwise_or.reduce(masks[must], 0)
        load = p.start[member] - p.lag[chosen].sum(axis=1) - p.lag[must].sum()
        return self.own[member] ^ away, load


def _combinations(n: int, size: int, words: int, budget: Budget) -> Ints:
    """[combinations, size] all sets of `size` of the numbers below n, for masks of so many words.

    Raises TooManySets.
    """
    if size < 0 or size > n:
        return np.zeros((0, max(size, 0)), dtype=np.int64)
    number = comb(n, size)
    if number * words > MAX_SETS:
        raise TooManySets
    budget.spend(number * (size + 4 + words))
    chosen = np.arange(n - size + 1)[:, None] if size else np.zeros((1, 0), dtype=np.int64)
    for left in range(size - 2, -1, -1):  # numbers still to come after the next one
        begin = chosen[:, -1] + 1
        end = np.full_like(begin, n - left)
        base = np.repeat(np.arange(len(chosen)), end - begin)
        chosen = np.column_stack((chosen[base], ranges(begin, end)))
    return chosen
