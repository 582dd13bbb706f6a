"""One target of a search for few moves: the sets of each member that fit it, and what it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_problem import Bits
from equilag.certificate.exhaustive.few_moves.moved_sets import (
    MAX_SETS,
    GainedSets,
    HeldSets,
    ListedSets,
    TooManySets,
)
from equilag.certificate.exhaustive.small_problem import SearchTarget
from equilag.domain.budget import Budget
from equilag.domain.group.group import NOBODY, Ints
from equilag.domain.group.member_capacities import Load

NEVER_ENOUGH: Final = 1_000_000
"""More moves than any target allows."""
MANY: Final = 1_000_000_000
"""Stands for the number of sets where they are too many to list: this member decides last."""


class Need(NamedTuple):
    moves: int
    """Fewest moves that the member gains, or a lower bound."""
    sets: int
    """Sets with so many; 0 where the number is only a bound."""


class MoveAim(NamedTuple):
    """At most `max_moves` moves, and all scaled loads within `spread` of each other."""

    max_moves: int
    spread: int
    wanted: SearchTarget
    """What the loads have to meet exactly."""
    cost: Load
    """Of the moves, in load."""


@dataclass(eq=False)
class MoveTarget:
    """An aim, with all lags inside [low, high]."""

    listed: ListedSets
    aim: MoveAim
    low: Ints
    high: Ints
    """[J] window of each member's lag."""
    _sets: dict[tuple[int, int, int, int], HeldSets] = field(default_factory=dict)
    _needs: dict[tuple[int, int], Need] = field(default_factory=dict)

    @staticmethod
    def of(listed: ListedSets, aim: MoveAim, window: tuple[int, int]) -> MoveTarget:
        """`window`: of all scaled loads."""
        factor = listed.problem.scaled.factor
        low, high = -(-window[0] // factor), np.minimum(window[1] // factor, listed.problem.total)
        return MoveTarget(listed, aim, low, high)

    @property
    def max_moves(self) -> int:
        return self.aim.max_moves

    @property
    def spread(self) -> int:
        """Of scaled loads."""
        return self.aim.spread

    def accepts(self, lags: Ints) -> bool:
        """True if the loads of members with these lags [J] meet the target exactly."""
        return self.listed.problem.scaled.accept(self.aim.wanted, lags, self.aim.cost)

    def narrow(self) -> bool:
        """Narrow the windows by what each member can hold at all, and by what the others must and
        can; false if a window is empty."""
        reach = np.array([self._reach(m) for m in range(len(self.low))])
        self.low, self.high = np.maximum(self.low, reach[:, 0]), np.minimum(self.high, reach[:, 1])
        total = self.listed.problem.total
        for _ in range(3):
            if (self.low > self.high).any():
                return False
            low = np.maximum(self.low, total - (self.high.sum() - self.high))
            self.high = np.minimum(self.high, total - (self.low.sum() - self.low))
            self.low = low
        return bool((self.low <= self.high).all())

    def _reach(self, member: int) -> tuple[int, int]:
        """The lightest and the heaviest load of a member within the limit on moves."""
        p, listed = self.listed.problem, self.listed
        only, due = listed.only[member], listed.due[member]
        mine = np.zeros(len(p.lag), dtype=np.bool_)
        mine[p.first[member] : p.first[member + 1]] = True
        mine &= p.allowed[:, member]
        mine[only] = False
        others = p.allowed[:, member] & (p.owner != member)
        others[due] = False
        own, other = np.sort(p.lag[mine]), np.sort(p.lag[others])
        kept, added = _running(own), _running(other)
        fewest, most = max(0, int(p.lo[member]) - len(only)), int(p.hi[member]) - len(only)
        limit = min(len(other), self.max_moves + len(p.loose))
        light, heavy = [], []
        for stay in range(max(0, len(own) - self.max_moves), min(len(own), most) + 1):
            gained = max(0, fewest - stay)
            if gained <= limit:
                light.append(int(kept[stay] + added[gained]))
        for gained in range(min(limit, most) + 1):
            stay = min(len(own), most - gained)
            heavy.append(int(kept[-1] - kept[-1 - stay] + added[-1] - added[-1 - gained]))
        fixed = int(p.lag[only].sum())
        fixed += int(p.start[member] - p.lag[p.first[member] : p.first[member + 1]].sum())
        if not light or not heavy:
            return 1, 0
        return min(light) + fixed, max(heavy) + fixed

    def sets(self, member: int, lost: int, size: int, item: int, budget: Budget) -> HeldSets:
        """The member's sets that lose at least `lost` (a mask from its first item on) and gain
        `size` items, `item` (or NOBODY) among them. Raises OutOfBudget."""
        key = member, lost, size, item
        if key not in self._sets:
            self._sets[key] = self._join(member, lost, size, item, budget)
        return self._sets[key]

    def _join(self, member: int, lost: int, size: int, item: int, budget: Budget) -> HeldSets:
        p, listed = self.listed.problem, self.listed
        own = int(p.counts[member])
        missed = self._missed(member, size)
        pairs = [] if missed < 0 else listed.gained(member, size, item, missed, budget)
        parts: list[HeldSets] = []
        for count in range(int(p.lo[member]), int(p.hi[member]) + 1):
            away = own + size - count
            if pairs and 0 <= away <= min(own, self._most_lost(member)):
                kept = listed.kept(member, lost, away, budget)
                parts += [self._joined(member, kept, (pair, missed), budget) for pair in pairs]
        if not parts:
            return HeldSets(
                np.zeros((0, p.words), np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64),
                np.zeros((0, size), np.int64),
            )  # fmt: skip
        return HeldSets(*(np.concatenate(c) for c in zip(*parts, strict=True)))

    def _joined(
        self,
        member: int,
        kept: tuple[Bits, Ints],
        gained: tuple[tuple[GainedSets, GainedSets], int],
        budget: Budget,
    ) -> HeldSets:
        """What is kept, joined with one set of each of the two lists, where the load fits and the
        owners need not replace too many items."""
        words, ((one, other), missed), (mask, load) = self.listed.problem.words, gained, kept
        if len(mask) * len(one.load) * words > MAX_SETS:
            raise TooManySets
        place = np.repeat(np.arange(len(load)), len(one.load))
        with_one = np.tile(np.arange(len(one.load)), len(load))
        load = load[place] + one.load[with_one]
        first = np.searchsorted(other.load, int(self.low[member]) - load, side="left")
        end = np.searchsorted(other.load, int(self.high[member]) - load, side="right")
        number = np.maximum(end - first, 0)
        total = int(number.sum())
        if total * words > MAX_SETS:
            raise TooManySets
        size = one.items.shape[1] + other.items.shape[1]
        budget.spend(len(load) * 6 + total * (4 + size + words))
        i = np.repeat(np.arange(len(load)), number)
        j = np.arange(total) + np.repeat(first - (np.cumsum(number) - number), number)
        moves = one.moves[with_one[i]] + other.moves[j]
        fits = moves <= self.max_moves
        fits &= one.missed[with_one[i]] + other.missed[j] <= missed
        i, j, moves = i[fits], j[fits], moves[fits]
        k = with_one[i]
        return HeldSets(
            mask[place[i]] | one.mask[k] | other.mask[j], load[i] + other.load[j], moves,
            np.concatenate((one.items[k], other.items[j]), axis=1),
        )  # fmt: skip

    def _missed(self, member: int, size: int) -> int:
        """How many of `size` items that the member gains may be such that their owners must replace
        them: each of these, and each item that any other member lacks, is one more move."""
        p = self.listed.problem
        lacks = np.maximum(p.lo - p.counts[: p.members], 0)
        return self.max_moves + len(p.loose) - size - int(lacks.sum() - lacks[member])

    def _most_lost(self, member: int) -> int:
        """Most items that the member may lose: the others lose what they own too much of."""
        p = self.listed.problem
        excess = np.maximum(p.counts[: p.members] - p.hi, 0)
        return self.max_moves - int(excess.sum() - excess[member])

    def need(self, member: int, lost: int, limit: int, budget: Budget) -> Need:
        """The fewest moves that the member gains if it loses at least `lost`; at least limit + 1
        where no set has `limit` or fewer."""
        known = self._needs.get((member, lost), Need(0, 0))
        if known.sets or known.moves > limit:
            return known
        p = self.listed.problem
        loose = len(p.loose)
        found = Need(limit + 1, 0)
        for size in range(known.moves, min(limit + loose, int(p.hi[member])) + 1):
            try:
                sets = self.sets(member, lost, size, NOBODY, budget)
            except TooManySets:
                found = Need(min(found.moves, max(0, size - loose)), MANY)
                break
            if len(sets.load) and (least := int(sets.moves.min())) < found.moves:
                found = Need(least, len(sets.load))
            if found.moves <= size + 1 - loose:
                break
        self._needs[member, lost] = found
        return found


def _running(values: Ints) -> Ints:
    """[n + 1] sums of the first 0, 1, ... values."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(values)))
