"""What the open members of a node still need: lower bounds on moves, and who decides next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_problem import Bits
from equilag.certificate.exhaustive.few_moves.move_states import MoveStates
from equilag.certificate.exhaustive.few_moves.move_target import NEVER_ENOUGH, MoveTarget
from equilag.domain.budget import Budget
from equilag.domain.group.group import Flags, Ints


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
        low, high = states.window(target)
        lost = np.column_stack([states.lost(listed, m) for m in range(p.members)])
        stays = lost == 0
        stays &= p.start >= np.maximum(low[:, None], target.low)
        stays &= p.start <= np.minimum(high[:, None], target.high)
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
        givers = _givers(states, target, affected, low)
        ahead = np.maximum(need.sum(axis=1) + givers, np.bitwise_count(given).sum(axis=1))
        alive = states.moves + ahead <= target.max_moves
        n_open = states.open.sum(axis=1)
        share = np.maximum(n_open, 1)
        mean_fits = (states.rest // share >= low) & (-(-states.rest // share) <= high)
        alive &= mean_fits | (n_open == 0)
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


def _givers(states: MoveStates, target: MoveTarget, affected: Flags, low: Ints) -> Ints:
    """[n] how many members must take part beyond the affected ones.

    The members that take part share their loads and what is pending, and each needs `low`. An
    unaffected member that gives something away and must not hold fewer items gains a move.
    """
    p = target.listed.problem
    is_open = states.open
    floor = np.maximum(low, 0)[:, None]
    cheap = affected | (p.counts > p.lo) if not len(p.loose) else is_open
    pays = is_open & ~cheap
    surplus = states.loads - floor
    waiting = states.rest - np.where(is_open, states.loads, 0).sum(axis=1)
    base = waiting + np.where(is_open & cheap, surplus, 0).sum(axis=1)
    more = -np.sort(-np.where(pays, np.maximum(surplus, 0), 0), axis=1)
    reached = np.column_stack((base, base[:, None] + np.cumsum(more, axis=1)))
    return np.where(reached[:, -1] < 0, NEVER_ENOUGH, (reached < 0).sum(axis=1))
