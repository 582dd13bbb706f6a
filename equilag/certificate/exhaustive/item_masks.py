"""A small problem with its items as bits, and the nodes of its search.

Bit b of a mask stands for the b-th heaviest item; a mask has W words of 64 bits. A node says what
is still to be given out, and what was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from equilag.certificate.exhaustive.small_problem import (
    ScaledLoads,
    ScaledTarget,
    SearchTarget,
    SmallProblem,
)
from equilag.domain.budget import Budget
from equilag.domain.constraint import InstanceSums
from equilag.domain.group.group import Flags, Ints

Bits: TypeAlias = npt.NDArray[np.uint64]
"""[..., W] masks of items."""

WORD: Final = 64


def disjoint(masks: Bits, other: Bits) -> Flags:
    """[...] True where masks [..., W] have no item in common."""
    fits: Flags = masks[..., 0] & other[..., 0] == 0
    for word in range(1, masks.shape[-1]):
        fits &= masks[..., word] & other[..., word] == 0
    return fits


def sizes(masks: Bits) -> Ints:
    """[...] items of each mask."""
    number: Ints = np.bitwise_count(masks).sum(axis=-1, dtype=np.int64)
    return number


def distinct(masks: Bits) -> tuple[Bits, Ints]:
    """The masks [k, W] that are among some [n, W], and [n] the place of each."""
    if masks.shape[1] == 1:  # a hundred times faster
        found, place = np.unique(masks[:, 0], return_inverse=True)
        return found[:, None], place
    found, place = np.unique(masks, axis=0, return_inverse=True)
    return found, place.ravel()


class PatternLimits(NamedTuple):
    """Fewest and most items of one member, in all and per topic."""

    lo: int
    hi: int
    topic_lo: tuple[int, ...] | None
    topic_hi: tuple[int, ...] | None

    def admit(self, counts: Ints) -> Flags:
        """[...] True where counts [..., topics or 1] keep to the limits."""
        total = counts.sum(axis=-1)
        fits: Flags = (total >= self.lo) & (total <= self.hi)
        if self.topic_lo is not None and self.topic_hi is not None:
            fits &= (counts >= np.array(self.topic_lo)).all(axis=-1)
            fits &= (counts <= np.array(self.topic_hi)).all(axis=-1)
        return fits


@dataclass(frozen=True, eq=False)
class ItemMasks:
    """Items and members as masks, prepared once per problem."""

    order: Ints
    """[I] item of each bit."""
    lag: Ints
    """[I] by bit, descending."""
    allowed: Flags
    """[I, J] by bit."""
    saved: Ints
    """[I, J] moves that an item saves by staying with a member; by bit."""
    topic: Ints
    """[I] by bit; 0 where counts are not limited by topic."""
    base: Ints
    """[J] base loads."""
    sums: InstanceSums | None
    """See `SmallProblem.sums`."""
    scaled: ScaledLoads
    limits: list[PatternLimits]
    """[J]"""
    masks: Bits
    """[I, W] each item alone."""
    moves_anyway: int
    """See `SmallProblem.moves_anyway`."""

    @staticmethod
    def of(problem: SmallProblem) -> ItemMasks:
        p = problem
        order = np.argsort(-p.lag, kind="stable")
        bits = np.arange(len(order))
        masks = np.zeros((len(order), -(-len(order) // WORD)), dtype=np.uint64)
        masks[bits, bits // WORD] = np.uint64(1) << (bits % WORD).astype(np.uint64)
        return ItemMasks(
            order,
            p.lag[order],
            p.allowed[order],
            p.saved[order],
            np.zeros(len(order), np.int64) if p.topic is None else p.topic[order],
            p.base,
            p.sums,
            ScaledLoads.of(p),
            [_limits(p, j) for j in range(len(p.base))],
            masks,
            p.moves_anyway,
        )

    @cached_property
    def takers(self) -> Ints:
        """[I] mask of the members that may take the item."""
        mask: Ints = (self.allowed << np.arange(len(self.base))).sum(axis=1)
        return mask

    @cached_property
    def own(self) -> Bits:
        """[J, W] what each member owns."""
        return np.array([self.mask(self.saved[:, j] > 0) for j in range(len(self.base))])

    @cached_property
    def prices(self) -> Ints:
        """[I, J] moves of an item with each member; by bit."""
        prices: Ints = self.saved.sum(axis=1, keepdims=True) - self.saved
        return prices

    def ends_of(self, member: int, masks: Bits) -> Ints:
        """[n] ends of moves where a member gets what masks [n, W] say."""
        found = np.zeros(len(masks), np.int64)
        for number, given in ((self.prices[:, member], masks), (self.saved[:, member], ~masks)):
            for each in np.unique(number[number > 0]).tolist():
                found += each * sizes(given & self.mask(number == each))
        return found

    @cached_property
    def one_owner(self) -> bool:
        """True if no item saves moves at several members, or more than one."""
        return bool((self.saved.sum(axis=1) <= 1).all())

    @cached_property
    def exchangeable(self) -> Flags:
        """[I] by bit, the items of which each may take the place of any other one."""
        alike = self.one_owner and self.n_topics == 1 and not self.scaled.slack
        return np.asarray(self.allowed.all(axis=1) & alike)

    def most_changed(self, member: int, ends: int) -> tuple[int, int]:
        """Most moves of items that the member loses, and that it gets, where so many have an end
        at it: the difference is that of what it owns and what it may have."""
        if not self.one_owner:
            return ends, ends
        own, limits = int(self.saved[:, member].sum()), self.limits[member]
        loose = int((self.allowed[:, member] & (self.saved.sum(axis=1) == 0)).sum())
        lost, gained = (ends + own + loose - limits.lo) // 2, (ends + limits.hi - own) // 2
        return max(0, min(ends, lost)), max(0, min(ends, gained))

    @property
    def n_topics(self) -> int:
        limits = self.limits[0].topic_lo
        return 1 if limits is None else len(limits)

    def member_classes(self, with_owners: bool) -> list[int]:
        """[J] class of each member; members of a class can be exchanged for each other.

        With `with_owners` it counts which items a member owns.
        """
        number: dict[tuple[object, ...], int] = {}
        keys = zip(
            [column.tobytes() for column in self.allowed.T],
            self.base.tolist(),
            self.limits,
            [column.tobytes() if with_owners else b"" for column in self.saved.T],
            self.scaled.kinds,
            [0] * len(self.base) if self.sums is None else self.sums.of.tolist(),
            strict=True,
        )
        return [number.setdefault(key, len(number)) for key in keys]

    def factor_of(self, member: int) -> int:
        """What the member's lag is multiplied by to be a scaled load."""
        return int(self.scaled.factor[member])

    def mask(self, items: Flags | Ints) -> Bits:
        """[W] some items: flags [I], or bits."""
        mask: Bits = np.bitwise_or.reduce(self.masks[items], axis=0)
        return mask

    def chosen(self, masks: Bits) -> Flags:
        """[..., I] the items of masks [..., W]."""
        return ~disjoint(self.masks, masks[..., None, :])

    def counts(self, flags: Flags) -> Ints:
        """[topics or 1] of some items."""
        return np.bincount(self.topic[flags], minlength=self.n_topics)


def _limits(problem: SmallProblem, member: int) -> PatternLimits:
    lo, hi = int(problem.lo[member]), int(problem.hi[member])
    if problem.topic_lo is None or problem.topic_hi is None:
        return PatternLimits(lo, hi, None, None)
    topic_lo, topic_hi = problem.topic_lo[:, member], problem.topic_hi[:, member]
    return PatternLimits(lo, hi, tuple(topic_lo.tolist()), tuple(topic_hi.tolist()))


class Patterns(NamedTuple):
    """Sets of items that a member may take, n of them, by ends of moves and then by load."""

    mask: Bits
    """[n, W]"""
    load: Ints
    """[n] lag, base load included; not scaled."""
    ends: Ints
    """[n] ends of moves: a move has one at who loses the item, and one at who gets it."""
    starts: list[int]
    """Where those of each number of ends begin, and n."""

    def take(self, some: Flags) -> Patterns:
        """Some of them [n]."""
        begins = np.concatenate(([0], np.cumsum(some)))[self.starts]
        columns = self.mask[some], self.load[some], self.ends[some]
        return Patterns(
            *columns, [*np.unique(begins[:-1][begins[:-1] < begins[-1]]).tolist(), int(begins[-1])]
        )

    def within(self, least: Ints, most: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """The patterns whose load lies between `least` and `most` [k] and which have at most so
        many `ends` [k]: [k, levels] where those of each number of ends begin, and how many."""
        first = np.zeros((len(least), len(self.starts) - 1), np.int64)
        number = np.zeros_like(first)
        for level, (begin, end) in enumerate(pairwise(self.starts)):
            load = self.load[begin:end]
            low, high = load.searchsorted(least), load.searchsorted(most, side="right")
            first[:, level] = begin + low
            number[:, level] = np.where(self.ends[begin] <= ends, np.maximum(high - low, 0), 0)
        return first, number


@dataclass(frozen=True, eq=False, slots=True)
class SearchTask:
    """One problem, one target, and the budget for it."""

    items: ItemMasks
    wanted: SearchTarget
    target: ScaledTarget
    """The same for scaled loads."""
    member_class: list[int]
    """[J] see `ItemMasks.member_classes`."""
    budget: Budget

    def meets(self, lags: Ints, moves: int) -> bool:
        """True if these lags [J] and moves meet the target exactly."""
        cost = self.wanted.move_cost * (self.items.moves_anyway + moves)
        return self.items.scaled.accept(self.wanted, lags, cost)
