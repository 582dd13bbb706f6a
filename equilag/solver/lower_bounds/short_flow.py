"""Prices of places and moves that prove a shortage, from a minimum-cost flow.

Of the members that fall behind under a good plan, the flow gives what is produced to them at least:
its potentials are the prices of places. Where moves are limited, the price of a move that proves
most is looked for as well: the bound is concave in it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equilag.certificate.bounds.shortage import ShortPrices, short_by_prices
from equilag.domain.budget import TABLE
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags
from equilag.domain.group.throughput import Shortage
from equilag.solver.moves.kept_flow import KeptNetwork, NodeArcs


def price_shortage(
    constraint: CountConstraint,
    shortage: Shortage,
    counted: Flags,
    limit: int | None,
    stop: Callable[[], bool],
) -> tuple[int, ShortPrices] | None:
    """The largest shortage that is proved of the members `counted` [M], and the prices that prove
    it. None for groups that are too large. `stop` is called before each flow."""
    free = int(np.count_nonzero(constraint.free))
    if free * 2 * len(constraint.group.class_topics) > TABLE or not counted.any():
        return None
    best: tuple[int, ShortPrices] | None = None
    low, high = 0, int(shortage.rate.max(initial=0)) + 1
    most, move = None if constraint.group.extended.has_stakes else limit, 0
    while not stop():
        places, moves = _places(constraint, shortage, counted, move)
        bound = short_by_prices(constraint, shortage, places, limit)
        if best is None or bound > best[0]:
            best = bound, places
        if most is None or moves == most or high - low <= 1:
            break
        if moves <= most:  # a lower price would do
            high = move
        else:
            low = move
        move = (low + high) // 2
    return best


def _places(
    constraint: CountConstraint, shortage: Shortage, counted: Flags, move: int
) -> tuple[ShortPrices, int]:
    """The prices of places that prove most at a price of a move; the moves of the flow."""
    group = constraint.group
    free = np.flatnonzero(constraint.free)
    rate, owner = shortage.rate[free], group.owner[free]
    kind = 2 * group.class_of.astype(np.int64) + counted
    slots, slot_of = np.unique(kind, return_inverse=True)
    node, slot = np.nonzero(constraint.face[group.partition_class[free]][:, slots // 2])
    cost = np.where(slots[slot] % 2, rate[node], 0) + move * (owner[node] != NOBODY)
    opened = NodeArcs(node, slot, np.ones_like(node), cost)
    own = np.flatnonzero(owner != NOBODY)
    own = own[constraint.may(free[own], owner[own])]
    cost = np.where(counted[owner[own]], rate[own], 0)
    kept = NodeArcs(own, owner[own].astype(np.int64), np.ones_like(own), cost)
    supply = np.ones(len(free), np.int64)
    network = KeptNetwork(supply, kept, opened, slot_of.ravel(), *constraint.beside_pinned())
    flow = network.cheapest()
    stays = int(flow.kept.sum())
    moves = int(np.count_nonzero(group.owner != NOBODY)) - stays
    return ShortPrices(counted, flow.member, move), moves
