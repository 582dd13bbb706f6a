"""Ejection chains: one member gets a lighter partition, through any number of other members.

The heaviest load of a group is often one heavy partition and what must lie beside it. The member
that holds a lighter one may read nothing of what the heavy member could give in return. Then the
partitions in between are passed on along a cycle of members, found breadth first in the graph of
which member may take a partition of which other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equilag.domain.constraint import ranges
from equilag.domain.group.group import NOBODY, Index, Ints
from equilag.solver.exchange.cyclic_exchanges import Window
from equilag.solver.local_search.assignment_state import AssignmentState


def lighten(
    state: AssignmentState, member: int, window: Window, stop: Callable[[], bool] = lambda: False
) -> bool:
    """Exchange a partition of a member that is too heavy for a lighter one, along a chain.

    Returns False if no chain brings the loads closer to the window, or if `stop` ends the search.
    """
    lag = state.group.lag
    for given in sorted(state.held[member], key=lambda p: -int(lag[p])):
        if stop():
            return False
        chain = find_chain(state, given, window)
        if chain is not None and _gain(state, given, chain, window) > 0:
            rotate(state, given, chain)
            return True
    return False


def _gain(state: AssignmentState, given: int, chain: list[int], window: Window) -> int:
    """How much closer to the window the loads of all members of the chain come, added up."""
    passed = np.array([given, *chain])
    holders = state.assigned[passed].astype(np.int64)
    change = np.roll(state.group.lag[passed], 1) - state.group.lag[passed]
    before = state.loads[holders]
    return int((window.outside(before) - window.outside(before + change)).sum())


def find_chain(
    state: AssignmentState, given: int, window: Window, first: int | None = None
) -> list[int] | None:
    """The chain of partitions that are passed on if the holder of `given` gives it away.

    Each partition of the chain goes to where the next one is; the last one, p, goes to the giver.
    The chain is a shortest one, and of those the one with the lightest p, which is lighter than
    `given`. No other member falls below the window. If `first` is the member that is to take
    `given`, p may be of any lag. None if there is no chain. O(members × partition classes) for each
    member of the chain.
    """
    group, assigned, loads = state.group, state.assigned, state.loads
    lag = group.lag
    giver = int(assigned[given])
    reached = np.arange(group.n_members) == giver
    if first is None:
        takers = state.constraint.takers(given) & ~reached
        front = takers & (loads + lag[given] <= window.high)
    else:
        front = np.arange(group.n_members) == first
    came = np.full(group.n_members, NOBODY, np.int64)
    """[M] the partition by which each was reached."""
    came[front] = given
    reached |= front
    movable = state.movable & (lag <= (loads - window.low)[assigned])
    back = state.others_for(giver)
    back = back[movable[back] & ((lag[back] < lag[given]) | (first is not None))]
    passed = np.zeros(len(state.constraint.face), np.bool_)
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
        by = _first_class_of(state, classes)[group.class_of]
        front = (by != NOBODY) & ~reached
        came[front] = out[where[by[front]]]
        reached |= front
    return None


def _first_class_of(state: AssignmentState, classes: Index) -> Ints:
    """[K] place in `classes` of the first partition class that each member class may take from."""
    takers, start = state.takers_of_classes
    begin, end = start[classes], start[classes + 1]
    member_classes = takers[ranges(begin, end)]
    place = np.repeat(np.arange(len(classes)), end - begin)
    found = np.full(state.constraint.face.shape[1], NOBODY, np.int64)
    found[member_classes[::-1]] = place[::-1]  # the last one written stays
    return found


def _way(assigned: Index, came: Ints, last: int, given: int) -> list[int]:
    """The partitions passed on, the last one last: followed backwards from its holder."""
    way = [last]
    while (before := int(came[assigned[way[-1]]])) != given:
        way.append(before)
    return way[::-1]


def rotate(state: AssignmentState, given: int, chain: list[int]) -> None:
    """Hand `given` to the holder of the chain's first partition, that one to the holder of the next
    one, and the last one to the member that gave."""
    takers = [int(state.assigned[p]) for p in [*chain, given]]
    for partition, taker in zip([given, *chain], takers, strict=True):
        state.pass_on(partition, int(state.assigned[partition]), taker)
