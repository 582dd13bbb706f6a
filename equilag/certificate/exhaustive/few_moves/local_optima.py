"""Nodes that an exchange of two partitions would make more even: they need not be searched.

Of all plans that meet a target, take one with the least sum of squared loads. No exchange of two
partitions that brings two loads closer to each other and adds no move is possible in it: the
exchange would not widen the spread, and would lower the sum. So a node is dropped where two decided
members could make such an exchange.
"""

from __future__ import annotations

import numpy as np

from equilag.certificate.exhaustive.few_moves.move_states import MoveStates
from equilag.certificate.exhaustive.few_moves.moved_sets import ListedSets
from equilag.domain.group.group import NOBODY, Flags, Ints


def locally_optimal(states: MoveStates, member: int, listed: ListedSets) -> Flags:
    """[n] False where the member and another decided one could come closer by an exchange."""
    keep = np.ones(len(states), dtype=np.bool_)
    mine = states.gained[:, member]
    for other in range(listed.problem.members):
        if other == member:
            continue
        rows = np.flatnonzero(keep & ~states.open[:, other])
        if not len(rows):
            continue
        apart = states.loads[rows, member] - states.loads[rows, other]
        theirs = states.gained[rows, other]
        closer = _both_gained(listed, (member, other), mine[rows], theirs, apart)
        closer |= _one_returns(listed, (member, other), mine[rows], states, rows, apart)
        closer |= _one_returns(listed, (other, member), theirs, states, rows, -apart)
        keep[rows[closer]] = False
    return keep


def _both_gained(
    listed: ListedSets, pair: tuple[int, int], mine: Ints, theirs: Ints, apart: Ints
) -> Flags:
    """Two items that both members gained: exchanging them adds no move."""
    p, (member, other) = listed.problem, pair
    closer = np.zeros(len(apart), dtype=np.bool_)
    for i in range(_places(mine)):
        one = mine[:, i]
        fits_one = (one != NOBODY) & p.allowed[one, other]
        for j in range(_places(theirs)):
            two = theirs[:, j]
            net = p.lag[one] - p.lag[two]
            even = np.where(apart > 0, (net > 0) & (net < apart), (net < 0) & (net > apart))
            closer |= fits_one & (two != NOBODY) & p.allowed[two, member] & even
    return closer


def _one_returns(
    listed: ListedSets,
    pair: tuple[int, int],
    gained: Ints,
    states: MoveStates,
    rows: Ints,
    apart: Ints,
) -> Flags:
    """An item that the first member of the pair gained from the second, which kept another one
    that would do better: one returns to its owner, one leaves it."""
    p, (member, owner) = listed.problem, pair
    closer = np.zeros(len(apart), dtype=np.bool_)
    size, first = int(p.counts[owner]), int(p.first[owner])
    if not size:
        return closer
    own = np.arange(first, first + size)
    word, shift = int(p.word[first]), np.uint64(p.bit[first])
    may = np.uint64(sum(1 << k for k in range(size) if p.allowed[own[k], member]))
    kept = (states.held[rows, owner, word] >> shift) & may
    for i in range(_places(gained)):
        item = gained[:, i]
        mine = np.flatnonzero((item != NOBODY) & (p.owner[item] == owner) & p.allowed[item, owner])
        if not len(mine):
            continue
        lag, net = p.lag[item[mine]], apart[mine]
        # Items of the owner with a lag strictly between these, which lie side by side.
        least, greatest = np.minimum(lag, lag - net), np.maximum(lag, lag - net)
        begin = np.searchsorted(p.lag[own], least, side="right")
        end = np.maximum(begin, np.searchsorted(p.lag[own], greatest, side="left"))
        between = (np.uint64(1) << end.astype(np.uint64)) - (
            np.uint64(1) << begin.astype(np.uint64)
        )
        closer[mine] |= kept[mine] & between != 0
    return closer


def _places(gained: Ints) -> int:
    """The most items gained in any row."""
    return int((gained != NOBODY).sum(axis=1).max(initial=0))
