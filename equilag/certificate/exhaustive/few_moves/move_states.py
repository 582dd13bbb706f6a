"""Nodes of the search for few moves, many at a time: who has decided what to hold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_problem import Bits
from equilag.certificate.exhaustive.few_moves.move_target import MoveTarget
from equilag.certificate.exhaustive.few_moves.moved_sets import HeldSets, ListedSets
from equilag.domain.group.group import NOBODY, Flags, Ints

UNSEEN = 2**61
"""A lightest load before any member has decided."""


@dataclass(eq=False)
class MoveStates:
    """n nodes. A member that has decided holds its final items; the others hold their own, less
    what was taken from them."""

    free: Bits
    """[n, W] items that no decided member holds."""
    decided: Ints
    """[n] mask of members."""
    moves: Ints
    low: Ints
    """[n] lightest load of the decided members."""
    high: Ints
    rest: Ints
    """[n] load left to the others: free items and base loads."""
    loads: Ints
    """[n, J] final loads of decided members, loads less what was taken for the others."""
    held: Bits
    """[n, J, W] final items of the decided members."""
    gained: Ints
    """[n, J, g] items that decided members gained, NOBODY in empty places."""

    @staticmethod
    def start(listed: ListedSets, places: int) -> MoveStates:
        """The node where nobody has decided; `places` is the most items that a member gains."""
        p = listed.problem
        return MoveStates(
            free=np.bitwise_or.reduce(listed.masks, axis=0)[None, :],
            decided=np.zeros(1, np.int64),
            moves=np.zeros(1, np.int64),
            low=np.full(1, UNSEEN),
            high=np.full(1, -1),
            rest=np.full(1, p.total),
            loads=p.start[None, :].copy(),
            held=np.zeros((1, p.members, p.words), np.uint64),
            gained=np.full((1, p.members, places), NOBODY, np.int16),
        )

    def __len__(self) -> int:
        return len(self.moves)

    def take(self, rows: Ints | Flags | slice) -> MoveStates:
        return MoveStates(*(getattr(self, field.name)[rows] for field in fields(self)))

    @cached_property
    def open(self) -> Flags:
        """[n, J] True for the members that have not decided."""
        members = self.loads.shape[1]
        undecided: Flags = (self.decided[:, None] >> np.arange(members)) & 1 == 0
        return undecided

    def window(self, target: MoveTarget) -> tuple[Ints, Ints]:
        """[n] least and greatest load that the open members may have, for any member."""
        low = np.maximum(self.high - target.spread, int(target.low.min()))
        return low, np.minimum(self.low + target.spread, int(target.high.max()))

    def lost(self, listed: ListedSets, member: int) -> Ints:
        """[n] what was taken from a member, as a mask from its first item on."""
        p = listed.problem
        size, first = int(p.counts[member]), int(p.first[member])
        if not size:
            return np.zeros(len(self), np.int64)
        word, shift = int(p.word[first]), np.uint64(p.bit[first])
        taken = (~self.free[:, word] >> shift) & np.uint64((1 << size) - 1)
        return taken.astype(np.int64)

    def after(
        self, rows: Ints, member: int, sets: HeldSets, chosen: Ints, listed: ListedSets
    ) -> MoveStates:
        """Node rows[i] after the member decides for set chosen[i]."""
        p = listed.problem
        load, items = sets.load[chosen], sets.gained[chosen]
        next_ = self.take(rows)
        is_open = self.open[rows]
        for k in range(items.shape[1]):
            owner = p.owner[items[:, k]]
            from_open = np.flatnonzero((owner != NOBODY) & is_open[np.arange(len(rows)), owner])
            next_.loads[from_open, owner[from_open]] -= p.lag[items[from_open, k]]
        next_.gained[:, member, : items.shape[1]] = items
        next_.loads[:, member] = load
        next_.held[:, member] = sets.mask[chosen]
        next_.free &= ~sets.mask[chosen]
        next_.decided |= 1 << member
        next_.moves += sets.moves[chosen]
        next_.low = np.minimum(next_.low, load)
        next_.high = np.maximum(next_.high, load)
        next_.rest -= load
        return next_
