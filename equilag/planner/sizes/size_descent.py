"""A small heaviest load where everybody may take everything: heavy partitions first, then exchanges
that relieve the heaviest member.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heapreplace
from typing import Final

import numpy as np

from equilag.domain.columns import Flags, Index, Ints

PARTNERS: Final = 4
"""The least loaded members that the heaviest one exchanges with before all others are tried."""


def deal_heavy_first(weights: Ints, counts: Ints, factor: Ints) -> Index:
    """[P] each partition, the heaviest first, to the member that is the least loaded with it, of
    those that have fewer than their `counts` [M]. `factor` [M] makes loads comparable.

    The rule of Graham (1969) with counts. O(P log M) where factors are equal, else O(P × M).
    """
    order = np.argsort(-weights, kind="stable")
    assigned = np.empty(len(weights), np.int32)
    if len(np.unique(factor)) > 1:
        load, room = np.zeros(len(counts), np.float64), counts.copy()
        load[room == 0] = np.inf
        scale = factor.astype(np.float64)
        for p in order.tolist():
            m = int(np.argmin((load + weights[p]) * scale))
            assigned[p] = m
            room[m] -= 1
            load[m] = load[m] + weights[p] if room[m] else np.inf
        return assigned
    left = counts.tolist()
    heap = [(0, m) for m, n in enumerate(left) if n]
    heapify(heap)
    for p in order.tolist():
        held, m = heap[0]
        assigned[p] = m
        left[m] -= 1
        if left[m]:
            heapreplace(heap, (held + int(weights[p]), m))
        else:
            heappop(heap)
    return assigned


def relieve_heaviest(
    weights: Ints, assigned: Index, factor: Ints, free: bool, stop: Callable[[], bool]
) -> Index:
    """[P] an assignment whose heaviest load no exchange with its member makes any smaller.

    Two partitions change places; where counts are `free`, one may also go alone. O(c × P) for each
    step, where c is the count of the heaviest member.
    """
    assigned = assigned.copy()
    loads = np.zeros(len(factor), np.int64)
    np.add.at(loads, assigned, weights)
    while not stop():
        order = np.argsort(loads * factor, kind="stable")
        heaviest = int(order[-1])
        near = np.zeros(len(factor), np.bool_)
        near[order[:PARTNERS]] = True
        for partners in (near, np.ones_like(near)):
            partners[heaviest] = False
            found = _best_exchange(weights, assigned, loads, factor, heaviest, partners, free)
            if found is not None:
                break
        if found is None:
            break
        given, taken, member = found
        change = int(weights[given]) - (int(weights[taken]) if taken >= 0 else 0)
        assigned[given] = member
        if taken >= 0:
            assigned[taken] = heaviest
        loads[heaviest] -= change
        loads[member] += change
    return assigned


def _best_exchange(
    weights: Ints,
    assigned: Index,
    loads: Ints,
    factor: Ints,
    heaviest: int,
    partners: Flags,
    free: bool,
) -> tuple[int, int, int] | None:
    """What the heaviest member gives and takes, −1 for nothing, and with whom; None where nothing
    makes the larger of both loads smaller than its own."""
    mine = np.flatnonzero(assigned == heaviest)
    other = np.flatnonzero(partners[assigned])
    member = assigned[other].astype(np.int64)
    weight = weights[other]
    if free:
        alone = np.flatnonzero(partners)
        other = np.concatenate((other, np.full(len(alone), -1)))
        member = np.concatenate((member, alone))
        weight = np.concatenate((weight, np.zeros(len(alone), np.int64)))
    if not len(mine) or not len(other):
        return None
    change = weights[mine][:, None] - weight[None, :]
    after = np.maximum(
        (loads[heaviest] - change) * factor[heaviest], (loads[member] + change) * factor[member]
    )
    best = int(after.argmin())
    row, column = divmod(best, len(other))
    if int(after[row, column]) >= int(loads[heaviest] * factor[heaviest]):
        return None
    return int(mine[row]), int(other[column]), int(member[column])
