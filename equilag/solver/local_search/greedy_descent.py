"""Greedy descent along the front of moves and lag spread, and back towards the owners."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from equilag.constraint import CountConstraint
from equilag.group import NOBODY, Group, Index, Ints
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.pairwise_swaps import NEVER, holdings, possible_exchanges

MAX_PARTNERS: Final = 48
"""Members at either end of the loads that an extreme member is paired with in one step."""
MAX_HELD_IN_STEP: Final = 64
"""Partitions of a member that one step considers; of more, the heaviest and a sample."""
PATIENCE: Final = 20
"""Steps in a row that find nothing, after which the descent ends, where steps see a sample only."""
STEP_CELLS: Final = 80_000
"""Array elements of one step, about; it limits the number of partners."""


def descend(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    steps: int,
) -> Iterator[Index]:
    """Yield assignments [P], each more even than the one before, by greedy steps.

    Each step makes the exchange of the heaviest or the lightest member that lowers its excess most
    per move. O(partners × c²) array elements per step, where c is the largest count.
    """
    state = AssignmentState.of(group, constraint, assigned)
    if len(state.active) < 2:
        return
    patience = PATIENCE if int(state.counts.max()) > MAX_HELD_IN_STEP else 1
    missed = 0
    for _ in range(steps):
        if stop() or missed >= patience:
            return
        if _step(state, rng):
            missed = 0
            yield state.assigned.copy()
        else:
            missed += 1


def _step(state: AssignmentState, rng: np.random.Generator) -> bool:
    order = state.by_load()
    width = min(MAX_HELD_IN_STEP, int(state.counts.max())) + 1
    partners = max(4, min(MAX_PARTNERS, STEP_CELLS // (4 * width * width)))
    near = np.unique(np.concatenate((order[:partners], order[-partners:])))
    top, bottom = order[0], order[-1]
    to = near[near != top]
    since = near[(near != bottom) & (near != top)]
    heavy = np.concatenate((np.full(len(to), top), since)).astype(np.int32)
    light = np.concatenate((to, np.full(len(since), bottom))).astype(np.int32)
    by_member, start = holdings(state, rng, near, MAX_HELD_IN_STEP)
    found = possible_exchanges(state, by_member, start, heavy, light)
    weight = found.change
    over, under = state.loads[heavy][:, None, None], state.loads[light][:, None, None]
    at_top = (heavy == top)[:, None, None]
    # How far the extreme load falls (or rises), unless the other load becomes as extreme.
    drop = np.where(at_top, np.minimum(weight, over - under - weight), -1)
    rise = np.minimum(weight, over - under - weight)
    gain = np.where(at_top, drop, rise)
    gain = np.where(found.fits, gain, -1)
    cost = np.maximum(found.moves, 0)
    score = np.where(gain > 0, gain / np.where(cost == 0, 0.25, cost), -1.0)
    pick = int(score.argmax()) if score.size else 0
    if not score.size or score.flat[pick] <= 0:
        return False
    row, i, j = np.unravel_index(pick, score.shape)
    state.exchange(
        found.give[row, i : i + 1], found.take[row, j : j + 1], heavy[row : row + 1],
        light[row : row + 1],
    )  # fmt: skip
    return True


def return_to_owners(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    spread: int,
    stop: Callable[[], bool],
) -> Index:
    """[P] an assignment with fewer moves and a spread of at most `spread`.

    Partitions are returned to their owners by exchanges: first those that save two moves, then
    those that save one, until there are no more. O(P) array elements for each moved partition.
    """
    state = AssignmentState.of(group, constraint, assigned)
    found = True
    while found:
        found = False
        for least in (2, 1):
            for p in _away(state).tolist():
                if stop():
                    return state.assigned
                if state.assigned[p] != group.owner[p]:
                    found |= _bring_home(state, p, spread, least)
    return state.assigned


def _away(state: AssignmentState) -> Ints:
    """Partitions that are assigned to a member that is not their owner."""
    owner = state.group.owner
    return np.flatnonzero(
        (owner != NOBODY) & (owner != state.assigned) & (state.assigned != NOBODY)
    )


def _bring_home(state: AssignmentState, p: int, spread: int, least: int) -> bool:
    """Return `p` to its owner in exchange for another partition, or for nothing, if that saves at
    least `least` moves and keeps the spread."""
    group, constraint = state.group, state.constraint
    holder, owner = int(state.assigned[p]), int(group.owner[p])
    if not constraint.may(p, owner):
        return False
    mine = state.held_by(owner)
    fits = constraint.may(mine, holder)
    any_topic = not constraint.per_topic
    if not any_topic:
        fits = fits & (group.topic_of[mine] == group.topic_of[p])
    mine = mine[fits]
    saved = 1 - (group.owner[mine] == owner) + (group.owner[mine] == holder).astype(np.int64)
    weight = group.lag[p] - group.lag[mine]
    room = constraint.may_lose_one(state.counts, holder)
    if any_topic and room and constraint.may_gain_one(state.counts, owner):
        mine = np.append(mine, NOBODY)
        saved, weight = np.append(saved, 1), np.append(weight, group.lag[p])
    enough = saved >= least
    if not enough.any():
        return False
    mine, weight = mine[enough], weight[enough]
    high, low = state.extremes()
    first, second = state.loads[owner] + weight, state.loads[holder] - weight
    top = np.maximum(np.maximum(first, second), _others(state, owner, holder, high, 1))
    bottom = np.minimum(np.minimum(first, second), _others(state, owner, holder, low, -1))
    within = np.flatnonzero(top - bottom <= spread)
    if not len(within):
        return False
    back = mine[within[:1]]
    state.exchange(np.array([p]), back, np.array([holder], np.int32), group.owner[p : p + 1])
    return True


def _others(state: AssignmentState, one: int, other: int, extreme: int, sign: int) -> int:
    """The heaviest (sign 1) or lightest (−1) load of all members but two."""
    if state.loads[one] != extreme and state.loads[other] != extreme:
        return extreme
    rest = state.active[(state.active != one) & (state.active != other)]
    if not len(rest):
        return int(-sign * NEVER)
    loads = state.loads[rest]
    return int(loads.max() if sign > 0 else loads.min())
