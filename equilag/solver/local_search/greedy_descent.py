"""Trading moves against lag spread: step by step from few moves, and back towards the owners."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from equilag.constraint import CountConstraint
from equilag.group import NOBODY, Group, Index, Ints
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.pairwise_swaps import NEVER, holdings, possible_exchanges

PARTNERS = 48
"""Members at either end that an extreme is paired with in one step, at most."""
WIDE = 64
"""Partitions of a member that one step looks at."""
PATIENCE = 20
"""Steps without a find after which to give up, where only some partitions are looked at."""
CELLS = 80_000
"""Array elements of one step, about."""


def downhill(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    steps: int,
) -> Iterator[Index]:
    """The assignments [P] on a greedy way from few moves to an even plan, one after the other.

    Each step is the exchange at the heaviest or the lightest member that lowers its excess most per
    move. O(partners × c²) array elements a step.
    """
    state = AssignmentState.of(group, constraint, assigned)
    if len(state.active) < 2:
        return
    patience = PATIENCE if int(state.counts.max()) > WIDE else 1
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
    width = min(WIDE, int(state.counts.max())) + 1
    partners = max(4, min(PARTNERS, CELLS // (4 * width * width)))
    near = np.unique(np.concatenate((order[:partners], order[-partners:])))
    top, bottom = order[0], order[-1]
    to = near[near != top]
    since = near[(near != bottom) & (near != top)]
    heavy = np.concatenate((np.full(len(to), top), since)).astype(np.int32)
    light = np.concatenate((to, np.full(len(since), bottom))).astype(np.int32)
    by_member, start = holdings(state, rng, near, WIDE)
    found = possible_exchanges(state, by_member, start, heavy, light)
    weight = found.change
    over, under = state.loads[heavy][:, None, None], state.loads[light][:, None, None]
    at_top = (heavy == top)[:, None, None]
    # How far the extreme member comes down (or up), the other not going past where it was.
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


def homeward(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    spread: int,
    stop: Callable[[], bool],
) -> Index:
    """[P] as few moves as exchanges back to owners reach while the spread stays within `spread`.

    Passes over the moved partitions, first for exchanges that bring two home, then for any that
    brings one, until neither is left. O(P) array elements for each partition looked at.
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
    """Partitions that are assigned to others than their owners."""
    owner = state.group.owner
    return np.flatnonzero(
        (owner != NOBODY) & (owner != state.assigned) & (state.assigned != NOBODY)
    )


def _bring_home(state: AssignmentState, p: int, spread: int, least: int) -> bool:
    """Give `p` to its owner for another partition of the owner's, or for nothing, if that saves
    `least` moves or more."""
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
    """The heaviest (sign 1) or lightest (−1) load of everybody else."""
    if state.loads[one] != extreme and state.loads[other] != extreme:
        return extreme
    rest = state.active[(state.active != one) & (state.active != other)]
    if not len(rest):
        return int(-sign * NEVER)
    loads = state.loads[rest]
    return int(loads.max() if sign > 0 else loads.min())
