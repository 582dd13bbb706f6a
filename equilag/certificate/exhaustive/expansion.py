"""The children of nodes: one more member gets all its items."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.certificate.exhaustive.ahead import MANY, Ahead
from equilag.certificate.exhaustive.crossing import fitting_pairs
from equilag.certificate.exhaustive.item_masks import Bits, Patterns, disjoint, distinct, sizes
from equilag.certificate.exhaustive.nodes import LoadLimits, Nodes, last_fits
from equilag.certificate.exhaustive.patterns import TooManySets, Wanted
from equilag.certificate.exhaustive.target_patterns import TargetPatterns
from equilag.domain.group.group import Flags, Ints

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
        # No count is above twice `MANY`: that of members whose sets are not listed.
        chosen = np.where(ahead.affected, ahead.count, 3 * MANY).argmin(axis=1)
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
        """What members hold at a node without open members, if it meets the target; of several,
        at that of the least spread."""
        nodes, target = self.nodes, self.task.target
        done = (nodes.open == 0) & ~nodes.free.any(axis=1)
        done &= (nodes.low >= target.floor) & (nodes.high <= target.cap)
        rows = np.flatnonzero(done & (nodes.high - nodes.low <= target.spread_with(nodes.ends)))
        for row in rows[np.argsort((nodes.high - nodes.low)[rows], kind="stable")].tolist():
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
        kept = nodes.take(rows).kept(self.task, self.ahead.is_open[rows])
        waiting = items.chosen(nodes.free[rows] & ~kept)
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
        ahead = self.ahead
        loads = ahead.limits.least[rows, member], ahead.limits.most[rows, member]
        own, free, staying = self.task.items.own[member], self.nodes.free, ahead.staying
        for i, j, part in fitting_pairs(self.task, listed, free[rows], loads, most):
            fits = disjoint(~part.mask[j], must[i])
            if self.run.may_stay:
                self.task.budget.spend(part.mask[j].size * 4)
                mask, node = part.mask[j], rows[i]
                fresh = free[node] & (own & ~mask | mask & ~own & staying[node])
                fits &= sizes(fresh) <= ahead.fresh[node, member]
            if fits.any():
                self.task.budget.spend(int(fits.sum()) * (16 + 6 * self.members))
                self._add(rows[i[fits]], member, part, j[fits])

    def _add(self, row: Ints, member: int, listed: Patterns, j: Ints) -> None:
        task, target = self.task, self.task.target
        made = self.nodes.take(row).after(
            member, listed.mask[j], listed.load[j], listed.ends[j], task
        )
        load = listed.load[j] * task.items.factor_of(member)
        apart = np.abs(load - self.ahead.limits.mean[row])
        keep = made.known <= target.most_ends // 2
        if task.items.sums is not None:
            keep &= self._within_sums(made, member)
        limits = LoadLimits.of(made, task)
        keep &= limits.alive
        if task.items.exchangeable.any():
            most = np.where(made.is_open(self.members), limits.most * task.items.scaled.factor, 0)
            above = load - most.max(axis=1)
            rows = np.flatnonzero(keep & (above > 0) & (made.open != 0))
            keep[rows] = ~self._improved(made.take(rows), member, above[rows])
        kept = np.flatnonzero(keep)
        made = made.take(kept[np.argsort(apart[kept], kind="stable")])
        last = np.flatnonzero(np.bitwise_count(made.open) == 1)
        if len(last):
            made = self._last(made, last)
        if len(made):
            self.children.append(made)

    def _improved(self, made: Nodes, member: int, apart: Ints) -> Flags:
        """[n] True where the member could give an item for a lighter one, without another move,
        to any open member, as all of these are lighter by `apart` [n] or more."""
        items = self.task.items
        self.task.budget.spend(len(made) * len(items.lag) * 4)
        mine, own = made.held[:, member], items.own[member]
        back = items.chosen(made.free & own)
        kept = made.kept(self.task, made.is_open(self.members))
        others = items.chosen(made.free & ~kept) | back
        found = np.zeros(len(made), np.bool_)
        least = apart // int(items.scaled.factor.max())
        for given, taken in ((items.chosen(mine & ~own), others), (items.chosen(mine & own), back)):
            place = np.where(given & items.exchangeable, np.arange(len(items.lag)), -1)
            place = np.maximum.accumulate(place, axis=1)
            gap = items.lag[place] - items.lag
            fits = taken & items.exchangeable & (place >= 0) & (gap > 0) & (gap < least[:, None])
            found |= fits.any(axis=1)
        return found

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
        return Nodes.joined(parts)

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
