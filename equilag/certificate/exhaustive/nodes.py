"""Nodes of the search, many at a time: who has got what, and what is left to the others."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.item_masks import Bits, ItemMasks, SearchTask, disjoint, sizes
from equilag.domain.columns import ROUNDING, Floats
from equilag.domain.group.group import Flags, Ints

UNSEEN: Final = 2**62
"""A lightest load before any member has got its items."""
SLICES: Final = 8
"""Slices of the lightest load; 32 were no better on 8 x 64."""


@dataclass(eq=False, slots=True)
class Nodes:
    """n nodes."""

    free: Bits
    """[n, W] the items that nobody has yet."""
    open: Ints
    """[n] mask of the members that have not got their items yet: the open members."""
    low: Ints
    """[n] the lightest scaled load is not above this: that of the other members, or less."""
    high: Ints
    """[n] the heaviest one is not below this."""
    floor: Ints
    """[n] no scaled load is below this."""
    rest: Ints
    """[n] lag of the free items, and base loads of the open members."""
    ends: Ints
    """[n] ends of moves at the other members."""
    known: Ints
    """[n] moves of which an end is at the other members; 0 where items have several owners."""
    held: Bits
    """[n, J, W] what the other members have got."""

    @staticmethod
    def start(task: SearchTask, sliced: bool) -> Nodes:
        """Nodes where nobody has got anything: one for each slice of what the lightest load can be,
        as narrow windows leave few sets of items; one in all unless `sliced`."""
        items, target = task.items, task.target
        everything = np.bitwise_or.reduce(items.masks, axis=0)
        total = int(items.lag.sum() + items.base.sum())
        low, floor = np.full(1, UNSEEN), np.full(1, max(0, target.floor))
        if sliced and len(target.allowed) == 1:
            mean = total / (1.0 / items.scaled.factor).sum()
            most = min(target.cap, int(mean * (1 + ROUNDING)) + 1)
            edges = np.linspace(floor[0], most + 1, SLICES + 1).astype(np.int64)
            some = edges[:-1] < edges[1:]
            low, floor = edges[1:][some] - 1, edges[:-1][some]
        n, zero = len(low), np.zeros(len(low), np.int64)
        return Nodes(
            np.repeat(everything[None, :], n, axis=0), np.full(n, (1 << len(items.base)) - 1),
            low, zero - 1, floor, zero + total, zero, zero,
            np.zeros((n, len(items.base), len(everything)), np.uint64),
        )  # fmt: skip

    @staticmethod
    def joined(parts: list[Nodes]) -> Nodes:
        """All of them, in this order."""
        return Nodes(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Nodes)))

    def __len__(self) -> int:
        return len(self.open)

    def take(self, rows: Ints | Flags | slice) -> Nodes:
        if isinstance(rows, np.ndarray) and rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        return Nodes(*(getattr(self, field.name)[rows] for field in fields(self)))

    def is_open(self, members: int) -> Flags:
        """[n, J]"""
        found: Flags = (self.open[:, None] >> np.arange(members)) & 1 == 1
        return found

    def after(self, member: int, mask: Bits, lag: Ints, ends: Ints, task: SearchTask) -> Nodes:
        """Once a member has got items [n, W] and lags [n], base load included, which add ends."""
        items = task.items
        load = lag * items.factor_of(member)
        known = self.known
        if items.one_owner and task.target.moves_matter:
            is_open = self.is_open(len(items.base))
            own, fresh = items.own[member], self.free & self.kept(task, is_open)
            known = known + sizes(mask & fresh & ~own) + sizes(~mask & fresh & own)
        held = self.held.copy()
        held[:, member] = mask
        return Nodes(
            self.free & ~mask, self.open & ~(1 << member), np.minimum(self.low, load),
            np.maximum(self.high, load), self.floor, self.rest - lag, self.ends + ends, known, held,
        )  # fmt: skip

    def kept(self, task: SearchTask, members: Flags) -> Bits:
        """[n, W] what some members [n, J] own."""
        found = np.zeros_like(self.free)
        for member, own in enumerate(task.items.own):
            found |= np.where(members[:, member, None], own, np.uint64(0))
        return found


@dataclass(eq=False, slots=True)
class LoadLimits:
    """For n nodes and J members."""

    least: Ints
    """[n, J] least lag of each open member, base load included."""
    most: Ints
    mean: Floats
    """[n] mean scaled load of the open members."""
    alive: Flags
    """[n] False where the open members cannot share the rest."""

    @staticmethod
    def of(nodes: Nodes, task: SearchTask) -> LoadLimits:
        items, target = task.items, task.target
        is_open = nodes.is_open(len(items.base))
        spread = target.spread_with(nodes.ends)
        alive = nodes.high - np.minimum(nodes.low, nodes.high) <= spread
        low = np.maximum(np.maximum(nodes.high, 0) - spread, np.maximum(nodes.floor, target.floor))
        high = np.minimum(np.minimum(nodes.low, items.scaled.total) + spread, target.cap)
        factor = items.scaled.factor
        # Some open member has their mean or more, and all others are within the spread of it.
        share = np.where(is_open, 1.0 / factor, 0.0).sum(axis=1)
        mean = nodes.rest / np.where(nodes.open != 0, share, 1.0)
        low = np.maximum(low, (mean * (1 - ROUNDING)).astype(np.int64) - 1 - spread)
        high = np.minimum(high, (mean * (1 + ROUNDING)).astype(np.int64) + 1 + spread)
        least = -(-low[:, None] // factor)
        most = np.minimum(high[:, None] // factor, nodes.rest[:, None])
        together = [np.where(is_open, side, 0).sum(axis=1) for side in (least, most)]
        alive &= (low <= high) & (nodes.rest <= together[1])
        alive &= together[0] <= nodes.rest - _excess(nodes, items, np.where(is_open, least, 0))
        others = [
            side[:, None] - np.where(is_open, each, 0)
            for side, each in zip(together, (least, most), strict=True)
        ]
        rest = nodes.rest[:, None]
        least, most = np.maximum(least, rest - others[1]), np.minimum(most, rest - others[0])
        alive |= nodes.open == 0
        return LoadLimits(least, most, mean, alive)


def _excess(nodes: Nodes, items: ItemMasks, least: Ints) -> Ints:
    """[n] what free items weigh beyond what any open member needs at least [n, J], which is of no
    use to the others."""
    enough, found = least.max(axis=1), np.zeros(len(nodes), np.int64)
    heavy = int(np.searchsorted(-items.lag, -enough.min(initial=UNSEEN)))
    for lag, mask in zip(items.lag[:heavy].tolist(), items.masks[:heavy], strict=True):
        found += np.where(disjoint(nodes.free, mask), 0, np.maximum(lag - enough, 0))
    return found


def last_fits(nodes: Nodes, task: SearchTask, last: int) -> Flags:
    """[n] True where the only open member can take everything that is left."""
    items, target, limits = task.items, task.target, task.items.limits[last]
    load, count = nodes.rest * items.factor_of(last), sizes(nodes.free)
    fits = disjoint(nodes.free, ~items.mask(items.allowed[:, last]))
    fits &= (count >= limits.lo) & (count <= limits.hi)
    fits &= (load >= np.maximum(nodes.floor, target.floor)) & (load <= target.cap)
    ends = nodes.ends
    if target.moves_matter:
        ends = ends + items.ends_of(last, nodes.free)
        fits &= ends <= target.most_ends
    spread = np.maximum(nodes.high, load) - np.minimum(nodes.low, load)
    fits &= spread <= target.spread_with(ends)
    if limits.topic_lo is not None:
        rows = np.flatnonzero(fits)
        chosen = items.chosen(nodes.free[rows])
        topics = items.topic[:, None] == np.arange(items.n_topics)
        fits[rows] &= limits.admit(chosen @ topics.astype(np.int64))
    return fits
