"""Even loads under mixed subscriptions: exchanges of two and of three members at a time.

With mixed subscriptions, two members seldom read enough of the same topics for a direct exchange;
a third one in between makes room. Each step takes one member whose load is outside the window that
the bounds leave, and makes the exchange that brings the loads of all who take part closest to it:
first among those of two members, and if none helps, among the cycles of three.

A step looks at every partition that the member may read: O(r × c) array elements for two members
and O(c² × d × r) for three, where it holds c of r partitions that it may read, each of which has d
readers; of larger neighbourhoods it takes a part at random.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from equilag.constraint import ALL, CountConstraint, ranges
from equilag.group import NOBODY, Group, Index, Ints
from equilag.metrics import member_counts, member_loads

FAR: Final = np.int64(2**62)
CELLS: Final = 200_000
"""Array elements that one look at exchanges may take; what is beyond is left to chance."""
GIVEN: Final = 16
BACK: Final = 500
"""Partitions that one look at cycles of three considers: what is given, and what comes back."""
FULL: Final = 4
"""From how many times as many partitions as it can consider it draws what is passed on."""


class Window(NamedTuple):
    """Loads that nothing is wrong with."""

    low: int
    high: int

    def outside(self, load: Ints) -> Ints:
        """How far each load is outside."""
        return np.maximum(np.maximum(self.low - load, load - self.high), 0)


class Cycles:
    """An assignment that is improved step by step."""

    def __init__(
        self,
        group: Group,
        constraint: CountConstraint,
        assigned: Index,
        rng: np.random.Generator,
    ) -> None:
        self.group = group
        self.rng = rng
        self.constraint = constraint
        self.assigned = assigned.copy()
        self.loads: Ints = member_loads(assigned, group.lag, group.n_members)
        self.counts = member_counts(assigned, group.n_members)
        free = np.flatnonzero(constraint.free)
        order = free[np.argsort(assigned[free], kind="stable")]
        start = np.searchsorted(assigned[order], np.arange(group.n_members + 1))
        self.held: list[list[int]] = [order[a:b].tolist() for a, b in pairwise(start.tolist())]
        self.fixed = ~constraint.free
        self._by_class = free[np.argsort(group.partition_class[free], kind="stable")]
        edges = np.arange(len(group.eligible) + 1)
        self._start = np.searchsorted(group.partition_class[self._by_class], edges)
        self._readable: dict[int, Ints] = {}
        classes, self.kinds_of = np.nonzero(constraint.face)
        """Member classes by topic class, those of class c from `kinds_from[c]` on."""
        self.kinds_from: Ints = np.searchsorted(classes, edges)

    def readable(self, member: int) -> Ints:
        """Free partitions that the member may hold."""
        kind = int(self.group.class_of[member])
        if kind not in self._readable:
            classes = np.flatnonzero(self.constraint.face[:, kind])
            there = ranges(self._start[classes], self._start[classes + 1])
            self._readable[kind] = self._by_class[there]
        return self._readable[kind]

    def spread(self, active: Ints) -> int:
        loads = self.loads[active]
        return int(loads.max() - loads.min())

    def others_for(self, member: int) -> Ints:
        """Partitions of others that the member may take."""
        mine = self.readable(member)
        found: Ints = mine[(self.assigned[mine] != member) & ~self.fixed[mine]]
        return found

    def _some(self, partitions: Ints, most: int) -> Ints:
        """All of them, or as many as `most`, drawn at random."""
        return partitions if len(partitions) <= most else self.rng.choice(partitions, most, False)

    def fix(self, partition: int) -> None:
        """Leave a partition where it is from now on."""
        self.fixed[partition] = True
        self.held[int(self.assigned[partition])].remove(partition)

    def by_two(self, member: int, window: Window) -> bool:
        """`member` takes p of another one and gives r, or nothing, or only gives."""
        most = CELLS // (len(self.held[member]) + 1)
        take = np.append(self._some(self.others_for(member), most), NOBODY)
        give = np.append(np.array(self.held[member], np.int64), NOBODY)
        lag = self.group.lag
        into, out = np.where(take < 0, 0, lag[take]), np.where(give < 0, 0, lag[give])
        other = self.assigned[take[:-1]].astype(np.int64)
        change = into[:-1, None] - out[None, :]
        fits = np.ones(change.shape, np.bool_)
        may, counts = self.constraint, self.counts
        fits[:, :-1] = may.may(give[None, :-1], other[:, None])
        fits[:, -1] = may.may_gain_one(counts, member) & may.may_lose_one(counts, other)
        after = window.outside(self.loads[member] + change)
        after += window.outside(self.loads[other][:, None] - change)
        before = window.outside(self.loads[other]) + window.outside(self.loads[member])
        gain = np.where(fits, before[:, None] - after, -FAR)
        best = int(gain.argmax()) if gain.size else 0
        if not gain.size or gain.flat[best] <= 0:
            return self._give_away(member, window)
        i, j = divmod(best, gain.shape[1])
        giver = int(other[i])
        self.pass_on(int(take[i]), giver, member)
        if give[j] != NOBODY:
            self.pass_on(int(give[j]), member, giver)
        return True

    def _give_away(self, member: int, window: Window) -> bool:
        """`member` gives one and takes nothing, where the counts have room for it."""
        constraint, counts = self.constraint, self.counts
        if not constraint.may_lose_one(counts, member):
            return False
        give = np.array(self.held[member], np.int64)
        room = np.flatnonzero(constraint.may_gain_one(counts, ALL))
        room = room[(room != member) & ~self.group.idle[room]]
        if not len(give) or not len(room):
            return False
        lag = self.group.lag[give][:, None]
        after = window.outside(self.loads[member] - lag) + window.outside(self.loads[room] + lag)
        before = window.outside(self.loads[room]) + window.outside(self.loads[member])
        gain = np.where(constraint.may(give[:, None], room[None, :]), before - after, -FAR)
        best = int(gain.argmax())
        if gain.flat[best] <= 0:
            return False
        i, j = divmod(best, gain.shape[1])
        self.pass_on(int(give[i]), member, int(room[j]))
        return True

    def by_three(self, member: int, window: Window) -> bool:
        """`member` gives r to a second one, which gives s to a third one, which gives p back.

        If that helps nobody, it gives nothing, where the counts have room for it to hold one more.
        """
        lag, assigned = self.group.lag, self.assigned
        back = self._some(self.others_for(member), BACK)
        third = assigned[back].astype(np.int64)
        first = self.loads[member]
        best: tuple[int, tuple[int, int, int]] = (0, (0, 0, 0))
        given = self._some(np.array(self.held[member], np.int64), GIVEN).tolist()
        if self.constraint.may_gain_one(self.counts, member):
            given.append(NOBODY)
        most = CELLS // (len(given) * len(back) + 1) + 1
        for r in given if len(back) else []:
            if r == NOBODY and best[0]:
                break
            passed = self._passed(member, r, most)
            if not len(passed):
                continue
            weight = lag[r] if r != NOBODY else 0
            holder = assigned[passed].astype(np.int64)
            fits = self.constraint.may(passed[:, None], third[None, :]) & (
                holder[:, None] != third[None, :]
            )
            one = window.outside(first) - window.outside(first - weight + lag[back])
            two = window.outside(self.loads[holder])
            two = two - window.outside(self.loads[holder] + weight - lag[passed])
            three = self.loads[third][None, :] + lag[passed][:, None] - lag[back][None, :]
            gain = one[None, :] + two[:, None]
            gain += window.outside(self.loads[third])[None, :] - window.outside(three)
            gain[~fits] = -FAR
            pick = int(gain.argmax())
            if gain.flat[pick] > best[0]:
                i, j = divmod(pick, gain.shape[1])
                best = int(gain.flat[pick]), (r, int(passed[i]), int(back[j]))
        if not best[0]:
            return False
        r, s, p = best[1]
        middle, last = int(assigned[s]), int(assigned[p])
        if r != NOBODY:
            self.pass_on(r, member, middle)
        self.pass_on(s, middle, last)
        self.pass_on(p, last, member)
        return True

    def _passed(self, member: int, given: int, most: int) -> Ints:
        """What those who may take a partition could give for it, `most` of it at most; for NOBODY,
        what is held by those who may give something and take nothing."""
        if given == NOBODY:
            second = np.flatnonzero(self.constraint.may_lose_one(self.counts, ALL))
        else:
            second = np.flatnonzero(self.constraint.takers(given))
        second = self._some(second[second != member], most)
        parts: list[int] = []
        for m in second.tolist():
            parts += self.held[m]
            if len(parts) >= FULL * most:
                break
        return self._some(np.array(parts, np.int64), most)

    def pass_on(self, partition: int, giver: int, taker: int) -> None:
        self.assigned[partition] = taker
        self.held[giver].remove(partition)
        self.held[taker].append(partition)
        lag = self.group.lag[partition]
        self.loads[giver] -= lag
        self.loads[taker] += lag
        self.counts[giver] -= 1
        self.counts[taker] += 1
