"""Nodes of the search for few moves, many at a time: who has decided what to hold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_problem import Bits
from equilag.certificate.exhaustive.few_moves.move_target import NEVER_ENOUGH, MoveTarget
from equilag.certificate.exhaustive.few_moves.moved_sets import HeldSets, ListedSets
from equilag.domain.budget import Budget
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
    """[n] lightest scaled load of the decided members."""
    high: Ints
    rest: Ints
    """[n] lag left to the others: free items and base loads."""
    lags: Ints
    """[n, J] final lags of decided members, lags less what was taken for the others."""
    held: Bits
    """[n, J, W] final items of the decided members."""

    @staticmethod
    def start(listed: ListedSets) -> MoveStates:
        """The node where nobody has decided."""
        p = listed.problem
        return MoveStates(
            free=np.bitwise_or.reduce(listed.masks, axis=0)[None, :],
            decided=np.zeros(1, np.int64),
            moves=np.zeros(1, np.int64),
            low=np.full(1, UNSEEN),
            high=np.full(1, -1),
            rest=np.full(1, p.total),
            lags=p.start[None, :].copy(),
            held=np.zeros((1, p.members, p.words), np.uint64),
        )

    def __len__(self) -> int:
        return len(self.moves)

    def take(self, rows: Ints | Flags | slice) -> MoveStates:
        return MoveStates(*(getattr(self, field.name)[rows] for field in fields(self)))

    @cached_property
    def open(self) -> Flags:
        """[n, J] True for the members that have not decided."""
        members = self.lags.shape[1]
        undecided: Flags = (self.decided[:, None] >> np.arange(members)) & 1 == 0
        return undecided

    def window(self, target: MoveTarget) -> tuple[Ints, Ints]:
        """[n] least and greatest scaled load that the open members may have."""
        factor = target.listed.problem.scaled.factor
        least, greatest = int((target.low * factor).min()), int((target.high * factor).max())
        low = np.maximum(self.high - target.spread, least)
        return low, np.minimum(self.low + target.spread, greatest)

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
        lag, items = sets.load[chosen], sets.gained[chosen]
        load = lag * p.scaled.factor[member]
        next_ = self.take(rows)
        is_open = self.open[rows]
        for k in range(items.shape[1]):
            owner = p.owner[items[:, k]]
            from_open = np.flatnonzero((owner != NOBODY) & is_open[np.arange(len(rows)), owner])
            next_.lags[from_open, owner[from_open]] -= p.lag[items[from_open, k]]
        next_.lags[:, member] = lag
        next_.held[:, member] = sets.mask[chosen]
        next_.free &= ~sets.mask[chosen]
        next_.decided |= 1 << member
        next_.moves += sets.moves[chosen]
        next_.low = np.minimum(next_.low, load)
        next_.high = np.maximum(next_.high, load)
        next_.rest -= lag
        return next_


@dataclass(eq=False, slots=True)
class MovesAhead:
    """For n nodes and J members."""

    lost: Ints
    """[n, J] what was taken from each member, as a mask from its first item on."""
    affected: Flags
    """[n, J] open members that cannot keep exactly what they own."""
    need: Ints
    """[n, J] fewest moves that each affected member gains."""
    sets: Ints
    """[n, J] sets with so many."""
    givers: Ints
    """[n] fewest members beyond the affected ones that must give and gain something."""
    pending: Flags
    """[n] True if a decided member gave away what nobody has taken yet, or an item has no owner."""
    alive: Flags
    """[n] False where the bounds exceed the limit."""

    @staticmethod
    def of(states: MoveStates, target: MoveTarget, budget: Budget) -> MovesAhead:
        listed = target.listed
        p = listed.problem
        shape = len(states), p.members
        budget.spend(len(states) * p.members * 10)
        low, high = (side[:, None] for side in states.window(target))
        # As lags of each member.
        least = -(-low // p.scaled.factor)
        greatest = np.minimum(high // p.scaled.factor, p.total)
        lost = np.column_stack([states.lost(listed, m) for m in range(p.members)])
        stays = lost == 0
        stays &= (p.start >= least) & (p.start >= target.low)
        stays &= (p.start <= greatest) & (p.start <= target.high)
        stays &= (p.lo <= p.counts) & (p.counts <= p.hi)
        stays &= np.array(
            [not b and not len(d) for b, d in zip(listed.banned, listed.due, strict=True)]
        )
        affected = states.open & ~stays
        need, sets = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for member in range(p.members):
            rows = np.flatnonzero(affected[:, member])
            if not len(rows):
                continue
            limit = max(0, int((target.max_moves - states.moves[rows]).max()))
            masks, place = np.unique(lost[rows, member], return_inverse=True)
            found = [target.need(member, mask, limit, budget) for mask in masks.tolist()]
            need[rows, member] = np.array([each.moves for each in found])[place]
            sets[rows, member] = np.array([each.sets for each in found])[place]
        given = _given(states, target)
        givers = _givers(states, target, affected, least)
        ahead = np.maximum(need.sum(axis=1) + givers, np.bitwise_count(given).sum(axis=1))
        alive = states.moves + ahead <= target.max_moves
        together = [np.where(states.open, side, 0).sum(axis=1) for side in (least, greatest)]
        rest_fits = (together[0] <= states.rest) & (states.rest <= together[1])
        alive &= rest_fits | ~states.open.any(axis=1)
        pending = np.asarray(given.any(axis=1))
        if len(p.loose):
            loose = np.bitwise_or.reduce(listed.masks[p.loose], axis=0)
            pending |= (states.free & loose).any(axis=1)
        return MovesAhead(lost, affected, need, sets, givers, pending, alive)

    def limits(self, states: MoveStates, target: MoveTarget) -> Ints:
        """[n] moves that are left beyond all bounds, for an affected member."""
        left: Ints = target.max_moves - states.moves - self.need.sum(axis=1) - self.givers
        return left


def _given(states: MoveStates, target: MoveTarget) -> Bits:
    """[n, W] items that decided members gave away and nobody has taken yet."""
    own = target.listed.own
    decided = np.zeros_like(states.free)
    for member in range(len(own)):
        decided |= np.where(states.open[:, member, None], np.uint64(0), own[member])
    given: Bits = states.free & decided
    return given


def _givers(states: MoveStates, target: MoveTarget, affected: Flags, least: Ints) -> Ints:
    """[n] how many members must take part beyond the affected ones.

    The members that take part share their lags and what is pending, and each needs `least` [n, J].
    An unaffected member that gives something away and must not hold fewer items gains a move.
    """
    p = target.listed.problem
    is_open = states.open
    cheap = affected | (p.counts > p.lo) if not len(p.loose) else is_open
    pays = is_open & ~cheap
    surplus = states.lags - np.maximum(least, 0)
    waiting = states.rest - np.where(is_open, states.lags, 0).sum(axis=1)
    base = waiting + np.where(is_open & cheap, surplus, 0).sum(axis=1)
    more = -np.sort(-np.where(pays, np.maximum(surplus, 0), 0), axis=1)
    reached = np.column_stack((base, base[:, None] + np.cumsum(more, axis=1)))
    return np.where(reached[:, -1] < 0, NEVER_ENOUGH, (reached < 0).sum(axis=1))
