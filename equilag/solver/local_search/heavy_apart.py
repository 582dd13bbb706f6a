"""Heavy partitions apart: a start for levelling where single partitions exceed a fair share.

They go to the members of the largest capacities, each with the lightest partitions beside it: the
other members then share what is left, which is dealt to them the heaviest first.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

import numpy as np

from equilag.domain.budget import TABLE
from equilag.domain.columns import Floats
from equilag.domain.group.group import NOBODY, Flags, Index, Ints
from equilag.solver.local_search.assignment_state import AssignmentState


def heavy_apart(state: AssignmentState, heaviest: int) -> Index | None:
    """[P] the assignment with the `heaviest` so many partitions at the members of the largest
    capacities, and the others dealt anew. None where subscriptions or counts stand against it."""
    group, constraint, factor = state.group, state.constraint, state.factor
    busy = ~group.idle
    if factor is None or constraint.per_topic or constraint.has_pinned:
        return None
    free = np.flatnonzero(constraint.free)
    chosen = state.active[constraint.counts_of(state.active).most > 0]
    chosen = chosen[np.argsort(factor[chosen], kind="stable")][:heaviest]
    if not constraint.may(free[:1], state.active).all() or len(constraint.face) > 1:
        return None
    by_lag = free[np.argsort(group.lag[free], kind="stable")]
    others = busy.copy()
    others[chosen] = False
    counts = _counts_of_holders(state, chosen, others, len(free))
    if not len(free) or int(counts.sum()) > len(free):
        return None
    beside = by_lag[: int(counts.sum()) - len(chosen)]  # the very lightest beside the heaviest
    leads = by_lag[::-1][: len(chosen)]
    assigned = state.assigned.copy()
    assigned[~others[assigned]] = NOBODY
    assigned[leads] = chosen
    assigned[beside] = np.repeat(chosen, counts - 1)
    displaced = constraint.free & (assigned == NOBODY)
    held = np.bincount(assigned[assigned != NOBODY], minlength=group.n_members)
    left, interval = np.flatnonzero(displaced), constraint.counts_of()
    needed = np.where(others, np.maximum(interval.least - held, 0), 0)
    room = np.where(others, interval.most - held - needed, 0)
    room = np.minimum(room, 2 * len(left) // max(1, int(others.sum())) + 1)
    takers = np.concatenate(
        [np.repeat(np.arange(group.n_members), number) for number in (needed, room)]
    )
    if len(takers) < len(left):
        return None
    assigned[left] = takers[: len(left)]
    mine = np.flatnonzero((assigned != NOBODY) & others[assigned])
    for room in (interval.most, np.bincount(assigned[free], minlength=group.n_members)):
        dealt = assigned.copy()
        dealt[mine] = deal_heavy_first(group.lag[mine], np.where(others, room, 0), factor)
        if constraint.admits(dealt):
            return dealt
    return None


def deal_heavy_first(weights: Ints, counts: Ints, factor: Floats) -> Index:
    """[P] each partition, the heaviest first, to the member that is the least loaded with it, of
    those that have fewer than their `counts` [M]. `factor` [M] makes loads comparable.

    The rule of Graham (1969) with counts. Where factors differ and partitions are many, the light
    ones go to the member that is the least loaded without them. O(P log M + TABLE).
    """
    order = np.argsort(-weights, kind="stable")
    heavy = weights[order].tolist()
    left, rate = counts.tolist(), factor.tolist()
    able = np.flatnonzero(counts)
    kinds = np.unique(factor[able]).tolist()
    queues: list[list[tuple[float, int]]] = [
        [(0, m) for m in able[factor[able] == kind].tolist()] for kind in kinds
    ]
    exact = len(heavy) if len(kinds) == 1 else TABLE // max(1, len(kinds))
    takers = []
    for weight in heavy[:exact]:
        after = [
            ((queue[0][0] + weight) * kind, number)
            for number, (queue, kind) in enumerate(zip(queues, kinds, strict=True))
            if queue
        ]
        takers.append(_first_takes(queues[min(after)[1]], weight, left))
    loads = [(held * rate[m], m) for queue in queues for held, m in queue]
    heapify(loads)
    takers += [_first_takes(loads, weight * rate[loads[0][1]], left) for weight in heavy[exact:]]
    assigned = np.empty(len(weights), np.int32)
    assigned[order] = takers
    return assigned


def _first_takes(queue: list[tuple[float, int]], load: float, left: list[int]) -> int:
    """The least loaded member of a heap, which takes a load and leaves with its last place."""
    held, member = queue[0]
    left[member] -= 1
    if left[member]:
        heapreplace(queue, (held + load, member))
    else:
        heappop(queue)
    return member


def _counts_of_holders(
    state: AssignmentState, chosen: Index, others: Flags, everything: int
) -> Ints:
    """[chosen] as few partitions as the counts of the others allow; more for the last ones."""
    least, most = state.constraint.counts_of(chosen)
    counts = np.maximum(least, 1)
    over = everything - int(counts.sum()) - int(state.constraint.counts_of(others).most.sum())
    room = np.cumsum((most - counts)[::-1])
    added = np.diff(np.minimum(room, max(0, over)), prepend=0)[::-1]
    return counts + added
