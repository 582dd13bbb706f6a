"""What is ahead of some nodes: who has to decide, what each needs, and how many choices it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.crossing import fitting_pairs
from equilag.certificate.exhaustive.item_masks import Bits, disjoint, distinct, sizes
from equilag.certificate.exhaustive.nodes import LoadLimits, Nodes
from equilag.certificate.exhaustive.target_patterns import TargetPatterns
from equilag.domain.group.group import Flags, Ints

MANY: Final = 1 << 60
"""Stands for the number of patterns where they are too many to list: this member decides last."""


class _Group(NamedTuple):
    """Members of a class, and nodes at which they have the same patterns."""

    alike: Ints
    rows: Ints
    first: Ints
    """[rows] the first of them that is affected."""
    gone: Bits
    """[W] what is gone of their own."""


class Ahead:
    """For n nodes and J members. A member that cannot keep exactly what it owns is affected."""

    def __init__(self, run: TargetPatterns, nodes: Nodes) -> None:
        self.run, self.task, self.nodes = run, run.task, nodes
        self.members = len(self.task.items.base)
        shape = len(nodes), self.members
        self.task.budget.spend(len(nodes) * self.members * 10)
        self.limits = LoadLimits.of(nodes, self.task)
        self.is_open = nodes.is_open(self.members)
        """[n, J]"""
        self.alive = self.limits.alive & (nodes.open != 0)
        """[n] False where the open members cannot share what is left."""
        self.alone = np.zeros((*shape, nodes.free.shape[1]), np.uint64)
        """[n, J, W] the free items that only this member may take."""
        self._find_alone()
        self.affected = self.is_open & ~self._staying() & self.alive[:, None]
        """[n, J]"""
        self.gone = sizes(self.task.items.own[None] & ~nodes.free[:, None])
        """[n, J] items that a member owns and others have got."""
        self.need, self.count = run.least(self.gone) * self.affected, np.full(shape, MANY)
        """[n, J] the fewest ends of moves at affected members, without regard to what other members
        have got, and how many patterns they have."""
        left = self.task.target.most_ends - nodes.ends
        groups: list[_Group] = []
        for kind in set(self.task.member_class):
            self.alive &= self.need.sum(axis=1) <= left
            self.affected &= self.alive[:, None]
            for group in self._groups(kind):
                groups.append(group)
                self._find_need(group, int(left[group.rows].max()))
        spare = left - self.need.sum(axis=1)
        self.fresh = self._fresh_moves()
        """[n, J] most moves of which no end is known: of what each member loses, or gets from
        members that are not affected."""
        self.staying = nodes.kept(self.task, self.is_open & ~self.affected)
        """[n, W] what open members own that are not affected."""
        self.most = np.minimum(self.need + spare[:, None], self._unknown())
        """[n, J] most ends of moves at each member."""
        self.alive &= (spare >= 0) & ((self.need <= self.most) | ~self.is_open).all(axis=1)
        self.affected &= self.alive[:, None]
        for group in groups:
            alive = self.alive[group.rows]
            if alive.any():
                self._find_count(group._replace(rows=group.rows[alive], first=group.first[alive]))
        self.alive &= (np.where(self.affected, self.count, 1) > 0).all(axis=1)

    def _find_alone(self) -> None:
        items, nodes = self.task.items, self.nodes
        if items.allowed.all():
            return
        for mask in np.unique(nodes.open).tolist():
            rows = nodes.open == mask
            takers = items.takers & mask
            self.alive[rows] &= disjoint(nodes.free[rows], items.mask(takers == 0))
            for m in range(self.members):
                self.alone[rows, m] = nodes.free[rows] & items.mask(takers == 1 << m)

    def _staying(self) -> Flags:
        """[n, J] True for members that can keep exactly what they own."""
        run, own = self.run, self.task.items.own[None]
        if not run.may_stay:
            return np.zeros(self.is_open.shape, np.bool_)
        stays = run.can_stay & disjoint(own, ~self.nodes.free[:, None])
        stays &= disjoint(self.alone, ~own)
        fits: Flags = (run.own_lag >= self.limits.least) & (run.own_lag <= self.limits.most)
        return stays & fits

    def _groups(self, kind: int) -> Iterator[_Group]:
        """The nodes at which members of a class are affected, by what is gone of their own."""
        items = self.task.items
        alike = np.flatnonzero(np.array(self.task.member_class) == kind)
        rows = np.flatnonzero(self.affected[:, alike].any(axis=1))
        if len(rows):
            gone = items.own[alike[0]] & ~self.nodes.free[rows]
            masks, place = distinct(gone)
            for number, mask in enumerate(masks):
                here = rows[place == number]
                first = alike[self.affected[here][:, alike].argmax(axis=1)]
                yield _Group(alike, here, first, mask)

    def _find_need(self, group: _Group, most: int) -> None:
        places = np.ix_(group.rows, group.alike)
        least = int(self.need[group.rows[0], group.first[0]])
        need = self.run.fewest(int(group.alike[0]), group.gone, self._loads(group), least, most)
        self.need[places] = np.where(self.affected[places], need[:, None], 0)

    def _loads(self, group: _Group) -> tuple[Ints, Ints]:
        """[rows] least and most lag of the members."""
        limits = self.limits
        return limits.least[group.rows, group.first], limits.most[group.rows, group.first]

    def _find_count(self, group: _Group) -> None:
        """What other members have got is regarded where no more than half of them are open: before,
        it costs more than it saves."""
        rows, most, loads = group.rows, self.most[group.rows, group.first], self._loads(group)
        listed = self.run.patterns(int(group.alike[0]), group.gone, int(most.max()))
        if listed is None:
            number = self.run.source.number(int(group.alike[0]), int(most.max()))
            self.count[np.ix_(rows, group.alike)] += min(number, MANY)
            return
        counts = listed.within(*loads, most)[1].sum(axis=1)
        late = np.flatnonzero(2 * self.is_open[rows].sum(axis=1) <= self.members)
        if len(late):
            counts[late] = 0
            some = loads[0][late], loads[1][late]
            free = self.nodes.free[rows[late]]
            for i, _, _ in fitting_pairs(self.task, listed, free, some, most[late]):
                counts[late] += np.bincount(i, minlength=len(late))
        self.count[np.ix_(rows, group.alike)] = counts[:, None]

    def _unknown(self) -> Ints:
        """[n, J] most ends of moves at each member, by the number of moves that are not known."""
        run, nodes, items = self.run, self.nodes, self.task.items
        if not run.may_stay:
            return np.full(self.is_open.shape, self.task.target.most_ends)
        owned = np.bitwise_or.reduce(items.own, axis=0)
        waiting = sizes(nodes.free & owned & ~nodes.kept(self.task, self.is_open))
        left = self.task.target.most_ends // 2 - nodes.known
        by_losses = 2 * (self.fresh + self.gone) + run.hi - run.own
        most: Ints = np.minimum((left + waiting)[:, None] + self.gone, by_losses)
        return most

    def _fresh_moves(self) -> Ints:
        """Each affected member loses what its ends of moves come to."""
        left = self.task.target.most_ends // 2 - self.nodes.known
        if not self.run.may_stay:
            return np.broadcast_to(left[:, None], self.is_open.shape)
        lost = np.maximum(0, self.run.lost(self.need) - self.gone) * self.affected
        left -= lost.sum(axis=1)
        self.alive &= left >= 0
        fresh: Ints = left[:, None] + lost
        return fresh
