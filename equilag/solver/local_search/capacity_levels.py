"""Even loads per unit of capacity, where moves do not count.

Partitions that are heavier than a fair share go to the members of the largest capacities, each with
the lightest partitions beside it: the other members then share what is left. Among them, those
farthest from that level exchange partitions with others, all pairs of a round at once, each pair by
the exchange that brings both closest to the level.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.solver.exchange.pair_exchanges import Pairs, exchange_best
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.load_targets import LoadTargets

ROUND_SIZE: Final = 16_000
"""Partitions that one round looks at, about: some 5 ms."""
FEWEST_FAR: Final = 16
"""Members that a round tries to help, if there are so many, so that it is worth its overhead."""
MAX_PARTNERS: Final = 32
"""Members that one member is tried with in a round."""
MAX_DEALT: Final = 400_000
"""Partitions times kinds of capacity that are dealt one by one: some 0.2 s."""
PATIENCE: Final = 60
"""Rounds in a row without progress, after which it ends."""
PROGRESS: Final = 0.999
"""Of the distances from the level together: less is progress."""
MOST_MISSED: Final = 40
"""Rounds that a member missed that count: a load has 61 bits."""


def level_by_capacity(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    heaviest: int = 0,
    enough: float = 0,
) -> Index:
    """[P] an assignment with a spread that is no larger.

    The `heaviest` so many partitions are set apart first, where every member may take them. Ends at
    a spread of `enough`. O(P log P), and O(pairs × c log c) for each round, where c is the largest
    count.
    """
    state = AssignmentState.of(group, constraint, assigned)
    best, least = assigned, state.unevenness
    if len(state.active) < 2:
        return best
    others = _set_apart(state, heaviest)
    aim = _aims(state, others)
    missed, nearest, stalled = np.zeros(group.n_members, np.int64), np.inf, 0
    while stalled < PATIENCE and least[0] > enough and not stop():
        far, pairs = _pairs(state, aim, others, missed, rng)
        made = exchange_best(state, pairs, 0, moves_count=False)
        missed[far] += 1
        missed[made] = 0
        apart = float(np.abs(state.loads - aim)[others].sum(dtype=np.float64))
        stalled = 0 if apart < PROGRESS * nearest else stalled + 1
        nearest = min(nearest, apart)
        if len(made) and state.unevenness < least:
            best, least = state.assigned.copy(), state.unevenness
    return best


def _aims(state: AssignmentState, others: Flags) -> Ints:
    """[M] the load that each of the `others` [M] should come to."""
    assert state.factor is not None
    if others.all() or not others.any():
        return LoadTargets.of(state).aim
    lag = int(state.unscaled(state.loads)[others].sum())
    return np.full(len(others), int(lag / (1.0 / state.factor[others]).sum()))


def _set_apart(state: AssignmentState, heaviest: int) -> Flags:
    """Give the heaviest partitions to the members of the largest capacities; [M] the others.

    All members that are not idle, and no change, where subscriptions or counts stand against it.
    """
    group, constraint, factor = state.group, state.constraint, state.factor
    busy = ~group.idle
    if factor is None or constraint.per_topic or constraint.has_pinned:
        return busy
    free = np.flatnonzero(constraint.free)
    chosen = state.active[constraint.counts_of(state.active).most > 0]
    chosen = chosen[np.argsort(factor[chosen], kind="stable")][:heaviest]
    if not constraint.may_each(free[:1], state.active).all() or len(constraint.face) > 1:
        return busy
    by_lag = free[np.argsort(group.lag[free], kind="stable")]
    others = busy.copy()
    others[chosen] = False
    counts = _counts_of_holders(state, chosen, others, len(free))
    if not len(free) or int(counts.sum()) > len(free):
        return busy
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
        return busy
    assigned[left] = takers[: len(left)]
    for room in (interval.most, np.bincount(assigned[free], minlength=group.n_members)):
        dealt = deal_by_capacity(state, assigned, others, room)
        if constraint.admits(dealt):
            moved = np.flatnonzero(dealt != state.assigned)
            state.transfer(moved, dealt[moved])
            return others
    return busy


def deal_by_capacity(state: AssignmentState, assigned: Index, others: Flags, room: Ints) -> Index:
    """[P] the assignment with the partitions of some members dealt anew, the heaviest first, no
    more of them than `room` [M] to each.

    Each goes to the member with the least load after it, per unit of capacity (Graham's longest
    processing time first, on uniform machines). O(P × kinds of capacity). The assignment as it
    is where that is too much.
    """
    members = np.flatnonzero(others)
    assert state.factor is not None
    factors = np.unique(state.factor[members]).tolist()
    mine = np.flatnonzero((assigned != NOBODY) & others[assigned])
    if len(mine) * len(factors) > MAX_DEALT:
        return assigned
    left = room.tolist()
    queues = [
        [(0, m) for m in members[state.factor[members] == factor].tolist() if left[m]]
        for factor in factors
    ]
    order = mine[np.argsort(-state.group.lag[mine], kind="stable")]
    takers = []
    for lag in state.group.lag[order].tolist():
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


def _pairs(
    state: AssignmentState, aim: Ints, others: Flags, missed: Ints, rng: np.random.Generator
) -> tuple[Ints, Pairs]:
    """The members farthest from their level, and pairs of them with others of their part.

    A member that `missed` [M] rounds in a row counts as half as far for each of them: there may be
    nothing to help it.
    """
    members = np.flatnonzero(others)
    off = state.loads - aim
    size = np.abs(off[members]) // (1 << np.minimum(missed[members], MOST_MISSED))
    order = members[np.argsort(-size, kind="stable")]
    each = len(state.assigned) // len(members) + 1
    wide = int(np.count_nonzero(2 * size >= size.max(initial=0)))
    far = order[: max(FEWEST_FAR, min(wide, ROUND_SIZE // (4 * each)))]
    part = state.constraint.parts[state.group.class_of]
    pool = members[np.lexsort((off[members], part[members]))]
    first = np.searchsorted(part[pool], part[far])[:, None]
    last = np.searchsorted(part[pool], part[far], side="right")[:, None]
    n_partners = int(np.clip(ROUND_SIZE // (len(far) * each), 4, MAX_PARTNERS))
    spot = rng.integers(first, last, (len(far), n_partners))
    # Half of them from the other end of the loads.
    ends = np.arange(n_partners // 2)
    above = (off[far] > 0)[:, None]
    opposite = np.where(above, first + ends, last - 1 - ends)
    spot[:, : n_partners // 2] = np.clip(opposite, first, last - 1)
    one, other = np.repeat(far, n_partners), pool[spot.ravel()]
    swap = off[one] < off[other]
    heavy, light = np.where(swap, other, one), np.where(swap, one, other)
    apart = off[heavy] > off[light]
    heavy, light = heavy[apart], light[apart]
    over, under = off[heavy], -off[light]
    wanted = np.floor_divide(over + under, state.rate(heavy, light)).astype(np.int64)
    every = np.ones(len(heavy), np.bool_)
    least = np.ones(len(heavy), np.int64)
    return far, Pairs(heavy, light, over, under, wanted, least, every)
