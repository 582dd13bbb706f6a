"""Window search: bring the loads into the window that the bounds leave, under mixed subscriptions.

One member at a time, by exchanges of two and three members, and by ejection chains where a member
is too heavy. The heaviest partition is also tried with other members that may take it. At last
layers are dealt anew.

In an ejection chain one member gets a lighter partition, through any number of other members. The
heaviest load of a group is often one heavy partition and what must lie beside it. The member that
holds a lighter one may read nothing of what the heavy member could give in return. Then the
partitions in between are passed on along a cycle of members, found breadth first in the graph of
which member may take a partition of which other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.columns import ranges
from equilag.domain.constraint import ALL, CountConstraint
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.solver.exchange.cyclic_exchanges import exchange_of_three, exchange_of_two
from equilag.solver.local_search.assignment_state import AssignmentState, Window
from equilag.solver.local_search.layers import deal_layers


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


def _gain(state: AssignmentState, given: int, chain: list[int], window: Window) -> float:
    """How much closer to the window the loads of all members of the chain come, added up."""
    passed = np.array([given, *chain])
    holders = state.assigned[passed].astype(np.int64)
    change = np.roll(state.group.lag[passed], 1) - state.group.lag[passed]
    before = state.loads[holders]
    after = before + state.scaled(change, holders)
    return float((window.outside(before) - window.outside(after)).sum())


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
        takers = state.constraint.may(given, ALL) & ~reached
        with_it = loads + state.scaled(lag[given], np.arange(group.n_members))
        front = takers & (with_it <= window.high)
    else:
        front = np.arange(group.n_members) == first
    came = np.full(group.n_members, NOBODY, np.int64)
    """[M] the partition by which each was reached."""
    came[front] = given
    reached |= front
    movable = state.movable & (state.scaled(lag, assigned) <= (loads - window.low)[assigned])
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


EXTREME_SHARE: Final = 0.5
"""Probability that a step takes the member furthest outside the window, not one at random."""


def search_window(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> Index:
    """[P] an assignment within the constraint, with a spread no larger.

    `window` is the target: from the upper bound of the lightest load to the lower bound of the
    heaviest one. `stop` is called before every step. Where topics count one by one, nothing is
    changed.
    """
    state = AssignmentState.of(group, constraint, assigned)
    if len(state.active) < 2 or constraint.per_topic:
        return assigned
    best, least = _descend(state, window, rng, stop)
    lead = _lead(state)
    for holder in _holders(state, lead, window):
        if stop() or least <= window.high - window.low:
            break
        state = AssignmentState.of(group, constraint, best)
        if state.assigned[lead] != holder:
            chain = find_chain(state, lead, window, holder)
            if chain is None:
                continue
            rotate(state, lead, chain)
        state.settle(lead)
        found, reached = _descend(state, window, rng, stop)
        if reached < least:
            best, least = found, reached
    return deal_layers(group, constraint, best, window, rng, stop)


def _descend(
    state: AssignmentState, window: Window, rng: np.random.Generator, stop: Callable[[], bool]
) -> tuple[Index, float]:
    """The most even assignment that the steps reach, and its spread.

    If no step helps any member outside the window, the window is widened halfway to the extreme
    loads.
    """
    best, least = state.assigned.copy(), state.spread
    stuck = state.group.idle.copy()
    while not stop():
        outside = np.where(stuck, 0, window.outside(state.loads))
        member = int(outside.argmax())
        if not outside[member]:
            wider = window.wider(state.extremes())
            if wider == window:
                break
            window, stuck = wider, state.group.idle.copy()
            continue
        if rng.random() >= EXTREME_SHARE:
            member = int(rng.choice(np.flatnonzero(outside)))
        if not _improve(state, member, window, rng, stop):
            stuck[member] = True
            continue
        stuck = state.group.idle.copy()
        if (reached := state.spread) < least:
            best, least = state.assigned.copy(), reached
    return best, least


def _improve(
    state: AssignmentState,
    member: int,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> bool:
    """Make one step that brings the loads closer to the window; False if none does."""
    if exchange_of_two(state, member, window, rng):
        return True
    if state.loads[member] > window.high:
        return lighten(state, member, window, stop)
    return exchange_of_three(state, member, window, rng)


def _lead(state: AssignmentState) -> int:
    """The heaviest movable partition of the heaviest member; NOBODY if it has none."""
    held = np.array(state.held[int(state.loads.argmax())], np.int64)
    return int(held[state.group.lag[held].argmax()]) if len(held) else NOBODY


def _holders(state: AssignmentState, lead: int, window: Window) -> list[int]:
    """Members that may take the partition, by the least load that must lie beside it.

    Empty if no load is above the window.
    """
    group, constraint = state.group, state.constraint
    if lead == NOBODY or state.loads.max() <= window.high:
        return []
    readers = np.flatnonzero(constraint.may(lead, ALL))
    least = constraint.counts_of(readers).least.tolist()
    beside = [
        int(np.sort(group.lag[state.takeable(m)])[: max(0, fewest - 1)].sum())
        for m, fewest in zip(readers.tolist(), least, strict=True)
    ]
    return [int(m) for m in readers[np.argsort(beside, kind="stable")]]
