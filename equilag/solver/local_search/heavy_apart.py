"""Heavy partitions apart: a start for levelling where single partitions exceed a fair share.

They go to the members of the largest capacities, each with the lightest partitions beside it: the
other members then share what is left, which is dealt to them the heaviest first.
"""

from __future__ import annotations

import heapq
from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Index, Ints
from equilag.solver.local_search.assignment_state import AssignmentState

MAX_DEALT: Final = 400_000
"""Partitions times kinds of capacity that are dealt one by one: some 0.2 s."""


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
    if not constraint.may_each(free[:1], state.active).all() or len(constraint.face) > 1:
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
    for room in (interval.most, np.bincount(assigned[free], minlength=group.n_members)):
        dealt = deal_by_capacity(state, assigned, others, room)
        if constraint.admits(dealt):
            return dealt
    return None


def deal_by_capacity(state: AssignmentState, assigned: Index, others: Flags, room: Ints) -> Index:
    """[P] the assignment with the partitions of some members dealt anew, the heaviest first, no
    more of them than `room` [M] to each.

    Each goes to the member with the least load after it, per unit of capacity (Graham's longest
    processing time first, on uniform machines); the many light ones to the member with the least
    load before it. O(MAX_DEALT + P log M).
    """
    members = np.flatnonzero(others)
    assert state.factor is not None
    factor = state.factor
    factors = np.unique(factor[members]).tolist()
    mine = np.flatnonzero((assigned != NOBODY) & others[assigned])
    order = mine[np.argsort(-state.group.lag[mine], kind="stable")]
    lags = state.group.lag[order].tolist()
    left = room.tolist()
    queues = [
        [(0, m) for m in members[factor[members] == one].tolist() if left[m]] for one in factors
    ]
    takers = []
    for lag in lags[: MAX_DEALT // max(1, len(factors))]:
        after = [
            ((queue[0][0] + lag) * factor, number)
            for number, (queue, factor) in enumerate(zip(queues, factors, strict=True))
            if queue
        ]
        queue = queues[min(after)[1]]
        load, member = queue[0]
        takers.append(member)
        left[member] -= 1
        if left[member]:
            heapq.heapreplace(queue, (load + lag, member))
        else:
            heapq.heappop(queue)
    rates = factor.tolist()
    queue = [(load * rates[m], m) for queue in queues for load, m in queue]
    heapq.heapify(queue)
    for lag in lags[len(takers) :]:
        load, member = queue[0]
        takers.append(member)
        left[member] -= 1
        if left[member]:
            heapq.heapreplace(queue, (load + lag * rates[member], member))
        else:
            heapq.heappop(queue)
    dealt = assigned.copy()
    dealt[order] = takers
    return dealt


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
