"""Passing partitions on through any number of members, so that one of them gets a lighter one.

The heaviest load of a group is often one heavy partition and what must lie beside it. A light one
for it may be held by somebody who reads nothing of what it could give in return; then others take
their part: a cycle in the graph of who could hand what to whom, found breadth first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equilag.constraint import ranges
from equilag.group import NOBODY, Index, Ints
from equilag.solver.local_search.cyclic_exchanges import Cycles, Window


def lighten(
    work: Cycles, member: int, window: Window, stop: Callable[[], bool] = lambda: False
) -> bool:
    """Pass one of the partitions of a member that is too heavy on, for a lighter one."""
    lag = work.group.lag
    for given in sorted(work.held[member], key=lambda p: -int(lag[p])):
        if stop():
            return False
        chain = find_chain(work, given, window)
        if chain is not None and _gain(work, given, chain, window) > 0:
            rotate(work, given, chain)
            return True
    return False


def _gain(work: Cycles, given: int, chain: list[int], window: Window) -> int:
    """How much closer to the window the loads of all who take part come together."""
    passed = np.array([given, *chain])
    holders = work.assigned[passed].astype(np.int64)
    change = np.roll(work.group.lag[passed], 1) - work.group.lag[passed]
    before = work.loads[holders]
    return int((window.outside(before) - window.outside(before + change)).sum())


def find_chain(
    work: Cycles, given: int, window: Window, first: int | None = None
) -> list[int] | None:
    """What is passed on if its holder gives a partition away: s, s′, …, and at last p, back to it.

    A shortest way, then the lightest p, lighter than what is given. Nobody else falls below the
    window by it, whatever it gets. Where `first` is to get the partition, whatever that leads to,
    p may be any. None if there is no way. O(members × topic classes) for each member on the way.
    """
    group, assigned, loads = work.group, work.assigned, work.loads
    lag, kinds = group.lag, group.class_of
    giver = int(assigned[given])
    reached = np.arange(group.n_members) == giver
    if first is None:
        takers = work.constraint.takers(given) & ~reached
        front = takers & (loads + lag[given] <= window.high)
    else:
        front = np.arange(group.n_members) == first
    came = np.full(group.n_members, NOBODY, np.int64)
    """[M] the partition by which each was reached."""
    came[front] = given
    reached |= front
    movable = (assigned != NOBODY) & ~work.fixed
    movable &= lag <= np.where(movable, (loads - window.low)[assigned], -1)
    back = work.others_for(giver)
    back = back[movable[back] & ((lag[back] < lag[given]) | (first is not None))]
    passed = np.zeros(len(work.constraint.face), np.bool_)
    while front.any():
        ends = back[front[assigned[back]]]
        if len(ends):
            return _way(assigned, came, int(ends[lag[ends].argmin()]), given)
        out = np.flatnonzero(movable & front[assigned])
        classes, where = np.unique(group.partition_class[out], return_index=True)
        where, classes = where[~passed[classes]], classes[~passed[classes]]
        if not len(classes):
            return None
        passed[classes] = True
        by = _first_class_of(work, classes)[kinds]
        front = (by != NOBODY) & ~reached
        came[front] = out[where[by[front]]]
        reached |= front
    return None


def _first_class_of(work: Cycles, classes: Index) -> Ints:
    """[K] for each member class the first of the topic classes, by place, that it may take from."""
    begin, end = work.kinds_from[classes], work.kinds_from[classes + 1]
    kinds = work.kinds_of[ranges(begin, end)]
    place = np.repeat(np.arange(len(classes)), end - begin)
    found = np.full(work.constraint.face.shape[1], NOBODY, np.int64)
    found[kinds[::-1]] = place[::-1]  # the last one written stays
    return found


def _way(assigned: Index, came: Ints, last: int, given: int) -> list[int]:
    """The partitions passed on, the last one last: followed backwards from its holder."""
    way = [last]
    while (before := int(came[assigned[way[-1]]])) != given:
        way.append(before)
    return way[::-1]


def rotate(work: Cycles, given: int, chain: list[int]) -> None:
    """Hand a partition to the holder of the chain's first one, that one to the holder of the next,
    and the last one to where the first came from."""
    takers = [int(work.assigned[p]) for p in [*chain, given]]
    for partition, taker in zip([given, *chain], takers, strict=True):
        work.pass_on(partition, int(work.assigned[partition]), taker)
