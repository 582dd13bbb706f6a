"""The children of nodes: one more member gets all its items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.ahead import MANY, Ahead
from equilag.certificate.exhaustive.item_masks import Bits, Patterns, disjoint, distinct, sizes
from equilag.certificate.exhaustive.nodes import LoadLimits, Nodes, last_fits
from equilag.certificate.exhaustive.patterns import TooManySets, Wanted
from equilag.certificate.exhaustive.target_patterns import TargetPatterns
from equilag.domain.columns import ranges
from equilag.domain.group.group import Flags, Ints

CROSS: Final = 400_000
"""Pairs of node and pattern in one array operation."""
MAX_PATTERNS: Final = 1_000_000
"""Patterns of a member that are tried at one node at most: some 100 MB with their nodes."""


class Expansion:
    """The children of some nodes, or a solution."""

    def __init__(self, run: TargetPatterns, nodes: Nodes) -> None:
        """Raises OutOfBudget."""
        self.run, self.task, self.nodes = run, run.task, nodes
        self.members = len(self.task.items.base)
        self.children: list[Nodes] = []
        self.found = self._complete()
        """[J, W]"""
        if self.found is not None:
            return
        self.ahead = ahead = Ahead(run, nodes)
        chosen = np.where(ahead.affected, ahead.count, MANY + 1).argmin(axis=1)
        decides = ahead.affected.any(axis=1)
        if run.source.holder is not None:
            first = ahead.is_open[:, run.source.holder]
            chosen[first], decides = run.source.holder, decides | first
        for member in range(self.members):
            rows = np.flatnonzero(ahead.alive & decides & (chosen == member))
            if len(rows):
                must = ahead.alone[rows, member] | self._heaviest(rows, member)
                self._branch(rows, member, must)
        rows = np.flatnonzero(ahead.alive & ~decides)
        if len(rows):
            self._all_may_stay(rows)

    def _complete(self) -> Bits | None:
        """What members hold at a node without open members, if it meets the target."""
        nodes = self.nodes
        done = (nodes.open == 0) & ~nodes.free.any(axis=1)
        for row in np.flatnonzero(done).tolist():
            held: Bits = nodes.held[row]
            if self.run.meets(held, int(nodes.ends[row])):
                return held
        return None

    def _heaviest(self, rows: Ints, member: int) -> Bits:
        """[n, W] the heaviest item that only the member's class can take goes to one of them; which
        one does not matter, so it goes to this one."""
        items, classes = self.task.items, self.task.member_class
        must = np.zeros_like(self.nodes.free[rows])
        alike = sum(1 << m for m in range(self.members) if classes[m] == classes[member])
        if alike.bit_count() == 1:
            return must
        several = np.bitwise_count(self.nodes.open[rows] & alike) > 1
        theirs = items.takers & self.nodes.open[rows][:, None] & ~alike == 0
        free = items.chosen(self.nodes.free[rows]) & theirs & several[:, None]
        some = free.any(axis=1)
        must[some] = items.masks[free[some].argmax(axis=1)]
        return must

    def _all_may_stay(self, rows: Ints) -> None:
        """Somebody takes the heaviest item that nobody can keep; without any, all stay."""
        items, nodes, run = self.task.items, self.nodes, self.run
        waiting = items.chosen(nodes.free[rows] & ~nodes.take(rows).kept(self.task))
        some = waiting.any(axis=1)
        for row in rows[~some].tolist():
            held = np.where(self.ahead.is_open[row][:, None], items.own, nodes.held[row])
            load = (items.base + items.chosen(held) @ items.lag) * items.scaled.factor
            spread = self.task.target.spread_with(nodes.ends[row : row + 1])[0]
            if load.max() - load.min() <= spread and run.meets(held, int(nodes.ends[row])):
                self.found = held
                return
            # Two of those that stay are too far apart: the lightest decides.
            lightest = int(np.where(self.ahead.is_open[row], load, np.iinfo(np.int64).max).argmin())
            one = np.array([row])
            self._branch(one, lightest, np.zeros_like(nodes.free[one]))
        rows, item = rows[some], waiting[some].argmax(axis=1)
        done = np.zeros((len(rows), max(self.task.member_class) + 1), np.bool_)
        for member in range(self.members):
            kind = self.task.member_class[member]
            may = self.ahead.is_open[rows, member] & items.allowed[item, member] & ~done[:, kind]
            done[may, kind] = True
            if may.any():
                self._branch(rows[may], member, items.masks[item[may]])

    def _branch(self, rows: Ints, member: int, must: Bits) -> None:
        """The member gets each of its patterns that hold what it must [n, W]."""
        items, nodes, limits = self.task.items, self.nodes, self.ahead.limits
        most = self.ahead.most[rows, member]
        masks, place = distinct(items.own[member] & ~nodes.free[rows])
        for number, gone in enumerate(masks):
            mine = np.flatnonzero(place == number)
            listed = self.run.patterns(member, gone, int(most[mine].max()))
            if listed is not None:
                self._cross(rows[mine], member, must[mine], most[mine], listed)
                continue
            for one in mine.tolist():
                row = int(rows[one])
                wanted = Wanted(
                    int(limits.least[row, member]), int(limits.most[row, member]),
                    int(most[one]), nodes.free[row], must[one],
                )  # fmt: skip
                join = self.run.source.join(member, wanted, self.task.budget)
                if join.total > MAX_PATTERNS:
                    raise TooManySets
                self.task.budget.spend(join.total * 6)
                self._cross(rows[one : one + 1], member, must[[one]], most[[one]], join.patterns())

    def _cross(self, rows: Ints, member: int, must: Bits, most: Ints, listed: Patterns) -> None:
        limits, free = self.ahead.limits, self.nodes.free
        loads = limits.least[rows, member], limits.most[rows, member]
        first, number = listed.within(*loads, most)
        pairs = np.cumsum(number.sum(axis=1))
        for begin, end in _parts(pairs, CROSS):
            part = slice(begin, end)
            i = np.repeat(np.arange(begin, end), number[part].sum(axis=1))
            start = first[part].ravel()
            j = ranges(start, start + number[part].ravel())
            self.task.budget.spend(len(i) * (2 + 2 * listed.mask.shape[1]))
            fits = disjoint(listed.mask[j], ~free[rows[i]])
            if must[part].any():
                fits &= disjoint(~listed.mask[j], must[i])
            if fits.any():
                row, j = rows[i[fits]], j[fits]
                self.task.budget.spend(len(row) * (16 + 6 * self.members))
                self._add(row, member, listed, j)

    def _add(self, row: Ints, member: int, listed: Patterns, j: Ints) -> None:
        task, target = self.task, self.task.target
        made = self.nodes.take(row).after(
            member, listed.mask[j], listed.load[j], listed.ends[j], task
        )
        apart = np.abs(listed.load[j] * task.items.factor_of(member) - self.ahead.limits.mean[row])
        keep = made.known <= target.most_ends // 2
        if task.items.sums is not None:
            keep &= self._within_sums(made, member)
        keep &= LoadLimits.of(made, task).alive
        kept = np.flatnonzero(keep)
        made = made.take(kept[np.argsort(apart[kept], kind="stable")])
        last = np.flatnonzero(np.bitwise_count(made.open) == 1)
        if len(last):
            made = self._last(made, last)
        if len(made):
            self.children.append(made)

    def _last(self, made: Nodes, rows: Ints) -> Nodes:
        """The same, where a last open member takes what is left."""
        others = np.ones(len(made), np.bool_)
        others[rows] = False
        parts = [made.take(others)]
        for mask in np.unique(made.open[rows]).tolist():
            mine = made.take(rows[made.open[rows] == mask])
            member = mask.bit_length() - 1
            mine = mine.take(last_fits(mine, self.task, member))
            ends = self.task.items.ends_of(member, mine.free)
            parts.append(mine.after(member, mine.free, mine.rest, ends, self.task))
        return Nodes(
            *(np.concatenate([getattr(p, name) for p in parts]) for name in Nodes.__slots__)
        )

    def _within_sums(self, made: Nodes, member: int) -> Flags:
        """[n] False where the open members of the same instance cannot bring its sum into its
        interval."""
        items = self.task.items
        sums = items.sums
        assert sums is not None
        alike = np.flatnonzero(sums.of == sums.of[member])
        given = sizes(made.held[:, alike]).sum(axis=1)
        is_open = made.is_open(self.members)[:, alike]
        lo = np.array([items.limits[m].lo for m in alike])
        hi = np.array([items.limits[m].hi for m in alike])
        fewest, most = given + (is_open * lo).sum(axis=1), given + (is_open * hi).sum(axis=1)
        instance = int(sums.of[member])
        fits: Flags = (fewest <= sums.most[instance]) & (most >= sums.least[instance])
        return fits


def _parts(ends: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Runs of rows with at most so many pairs together, or one row each; `ends` [rows] are the
    pairs of all rows up to each."""
    begin = 0
    while begin < len(ends):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield begin, end
        begin = end
