"""Window search: bring the loads into the window that the bounds leave, under mixed subscriptions.

One member at a time, by exchanges of two and three members, and by ejection chains where a member
is too heavy. The heaviest partition is also tried with other members that may take it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.metrics import member_loads
from equilag.solver.exchange.cyclic_exchanges import (
    Window,
    exchange_of_three,
    exchange_of_two,
)
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.ejection_chains import find_chain, lighten, rotate

MAX_HOLDERS: Final = 12
"""Members with which the heaviest partition is tried: each costs a descent."""
MAX_ATTEMPTS: Final = 6
"""Descents from the same assignment, which differ by the random numbers."""
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
    active = np.flatnonzero(~group.idle)
    if len(active) < 2 or constraint.per_topic:
        return assigned
    loads = member_loads(assigned, group.lag, group.n_members)[active]
    best, least = assigned, int(loads.max() - loads.min())
    for _ in range(MAX_ATTEMPTS):
        found, reached = _attempt(group, constraint, assigned, window, rng, stop)
        if reached < least:
            best, least = found, reached
        if stop() or least <= window.high - window.low:
            break
    return best


def _attempt(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> tuple[Index, int]:
    """Descend from one assignment, then with the heaviest partition at other members."""
    state = AssignmentState.of(group, constraint, assigned)
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
    return best, least


def _descend(
    state: AssignmentState, window: Window, rng: np.random.Generator, stop: Callable[[], bool]
) -> tuple[Index, int]:
    """The most even assignment that the steps reach, and its spread.

    If no step helps any member outside the window, the window is widened halfway to the extreme
    loads.
    """
    best, least = state.assigned.copy(), state.spread
    stuck = state.group.idle.copy()
    while not stop():
        outside = np.where(stuck, 0, window.outside(state.loads))
        wrong = np.flatnonzero(outside)
        if not len(wrong):
            wider = _wider(window, state.loads[state.active])
            if wider == window:
                break
            window, stuck = wider, state.group.idle.copy()
            continue
        member = int(outside.argmax()) if rng.random() < EXTREME_SHARE else int(rng.choice(wrong))
        if not _improve(state, member, window, rng, stop):
            stuck[member] = True
            continue
        stuck = state.group.idle.copy()
        if (reached := state.spread) < least:
            best, least = state.assigned.copy(), reached
    return best, least


def _wider(window: Window, loads: Ints) -> Window:
    """The window widened halfway to the extreme loads; the same one if they are inside it."""
    low, high = min(window.low, int(loads.min())), max(window.high, int(loads.max()))
    return Window((window.low + low) // 2, -(-(window.high + high) // 2))


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
    if lead == NOBODY or int(state.loads.max()) <= window.high:
        return []
    readers = np.flatnonzero(constraint.takers(lead))
    least = constraint.counts_of(readers).least.tolist()
    beside = [
        int(np.sort(group.lag[state.takeable(m)])[: max(0, fewest - 1)].sum())
        for m, fewest in zip(readers.tolist(), least, strict=True)
    ]
    return [int(m) for m in readers[np.argsort(beside, kind="stable")][:MAX_HOLDERS]]
