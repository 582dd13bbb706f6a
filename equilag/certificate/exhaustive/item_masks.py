"""A small problem with its items as bits, and the nodes of its search.

Bit b of a mask stands for the b-th heaviest item. A node says what is still to be given out, and
what was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.certificate.exhaustive.patterns import Layers, PatternLimits
from equilag.certificate.exhaustive.small_problem import (
    OwnershipTarget,
    ScaledLoads,
    SearchTarget,
    SmallProblem,
)
from equilag.domain.budget import Budget
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import NOBODY, Flags, Ints


@dataclass(frozen=True, eq=False, slots=True)
class ItemMasks:
    """Items and members as masks, prepared once per problem."""

    order: Ints
    """[I] item of each bit."""
    bits: Ints
    """[I] 0, 1, 2, ..."""
    lag: Ints
    """[I] by bit, descending."""
    base: Ints
    """[J] base loads."""
    sums: InstanceSums | None
    """See `SmallProblem.sums`."""
    scaled: ScaledLoads
    takers: Ints
    """[I] per bit, mask of the members that may take the item."""
    eligible: list[int]
    """[J] mask of the items that the member may take."""
    own: list[Layers]
    """[J] what the member owns."""
    owned: int
    """Items that have an owner, inside or outside, or what their owners hold of them, and moves
    that nothing avoids."""
    limits: list[PatternLimits]
    """[J]"""

    @staticmethod
    def of(problem: SmallProblem) -> ItemMasks:
        p, members = problem, range(len(problem.base))
        order = np.argsort(-p.lag, kind="stable")
        bits = np.arange(len(p.lag))
        lag = p.lag[order]
        weight = np.int64(1) << bits
        return ItemMasks(
            order=order,
            bits=bits,
            lag=lag,
            base=p.base,
            sums=p.sums,
            scaled=ScaledLoads.of(p),
            takers=(p.allowed[order] * (1 << np.arange(len(p.base)))).sum(axis=1),
            eligible=[int((weight * p.allowed[order, j]).sum()) for j in members],
            own=[_layers(p, order, j) for j in members],
            owned=_owned(p) + p.forced_moves,
            limits=[_limits(p, j) for j in members],
        )

    def member_classes(self, with_owners: bool) -> list[int]:
        """[J] class of each member; members of a class can be exchanged for each other.

        With `with_owners` it counts which items a member owns.
        """
        number: dict[tuple[object, ...], int] = {}
        keys = zip(
            self.eligible,
            self.base.tolist(),
            self.limits,
            self.own if with_owners else [()] * len(self.own),
            self.scaled.kinds,
            [0] * len(self.own) if self.sums is None else self.sums.of.tolist(),
            strict=True,
        )
        return [number.setdefault(key, len(number)) for key in keys]

    @property
    def total(self) -> int:
        """No scaled load is larger."""
        return self.scaled.total

    @property
    def factor(self) -> Ints | None:
        """[J] see `ScaledLoads`; None where all are 1."""
        return None if self.scaled.capacities is None else self.scaled.factor

    def factor_of(self, member: int) -> int:
        """What the member's lag is multiplied by to be a scaled load."""
        return int(self.scaled.factor[member])

    def chosen(self, mask: int) -> Flags:
        """[I] the items of a mask, by bit."""
        flags: Flags = (mask >> self.bits) & 1 == 1
        return flags

    def load(self, mask: int) -> int:
        """The load of a mask's items."""
        return int(self.lag[self.chosen(mask)].sum())


def _layers(problem: SmallProblem, order: Ints, member: int) -> Layers:
    if problem.stakes is None:
        saved = (problem.owner[order] == member).astype(np.int64)
    else:
        saved = problem.stakes[order, member]
    weight = np.int64(1) << np.arange(len(order))
    levels = [0, *np.unique(saved[saved > 0]).tolist()]
    steps = zip(levels[1:], levels, strict=False)
    return tuple((int(weight[saved >= level].sum()), level - below) for level, below in steps)


def _owned(problem: SmallProblem) -> int:
    if problem.stakes is None:
        return int((problem.owner != NOBODY).sum())
    return int(problem.stakes.sum())


def _limits(problem: SmallProblem, member: int) -> PatternLimits:
    lo, hi = int(problem.lo[member]), int(problem.hi[member])
    if problem.topic_lo is None or problem.topic_hi is None:
        return PatternLimits(lo, hi, None, None)
    topic_lo, topic_hi = problem.topic_lo[:, member], problem.topic_hi[:, member]
    return PatternLimits(lo, hi, tuple(topic_lo.tolist()), tuple(topic_hi.tolist()))


@dataclass(frozen=True, slots=True)
class SearchNode:
    free: int
    """Mask of the items that nobody has yet."""
    members: tuple[int, ...]
    """Members that have not got their items yet: the open members."""
    low: int
    """Lightest load of the other members."""
    high: int
    """Heaviest load of the other members."""
    kept: int
    """Moves that are saved by what the other members keep."""
    counts: tuple[int, ...] = ()
    """Items of each instance at the other members, where their sums count."""
    taken: tuple[tuple[int, int], ...] = ()
    """The other members, and the masks of what they have got."""


class FreeItems(NamedTuple):
    """The free items of a node, by bit."""

    flags: Flags
    """[I] True where the item is free."""
    takers: Ints
    """[I] mask of the open members that may take the item."""

    @staticmethod
    def of(items: ItemMasks, node: SearchNode) -> FreeItems:
        open_members = sum(1 << member for member in node.members)
        return FreeItems(items.chosen(node.free), items.takers & open_members)


@dataclass(frozen=True, eq=False, slots=True)
class SearchTask:
    """One problem, one target, and the budget for it."""

    items: ItemMasks
    wanted: SearchTarget
    target: OwnershipTarget
    """The same for scaled loads."""
    member_class: list[int]
    """[J] see `ItemMasks.member_classes`."""
    budget: Budget

    def meets(self, node: SearchNode) -> bool:
        """True if a node without open members meets the target exactly."""
        lags = self.items.base.copy()
        for member, mask in node.taken:
            lags[member] += self.items.load(mask)
        cost = self.wanted.move_cost * (self.items.owned - node.kept)
        return self.items.scaled.accept(self.wanted, lags, cost)

    def own(self, member: int) -> Layers:
        """What the member owns; nothing if it does not matter which items stay."""
        return self.items.own[member] if self.target.counts_kept else ()

    def may_keep(self, node: SearchNode, member: int) -> int:
        """Most moves that free items can save by staying with the open member."""
        most = self.items.limits[member].hi
        return sum(
            moves * min((node.free & layer).bit_count(), most)
            for layer, moves in self.items.own[member]
        )

    def most_kept(self, node: SearchNode) -> int:
        """Most items that stay in the end."""
        if not self.target.counts_kept:
            return self.target.owned
        return node.kept + sum(self.may_keep(node, member) for member in node.members)
