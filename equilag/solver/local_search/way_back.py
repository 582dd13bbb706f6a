"""The way back: partitions return to their owners as far as a limit on unevenness allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import Floats, place_of, ranks
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.plan.metrics import moves_added
from equilag.domain.plan.plan_figures import NEGLIGIBLE
from equilag.solver.exchange.cyclic_exchanges import NEVER
from equilag.solver.local_search.assignment_state import AssignmentState


class UnevennessLimit(NamedTuple):
    """How uneven an assignment may be."""

    spread: float
    excess: float


def return_to_owners(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    limit: UnevennessLimit,
    stop: Callable[[], bool],
) -> Index:
    """[P] an assignment with fewer moves and a spread and excess within `limit`.

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
                    found |= _bring_home(state, p, limit, least)
    return state.assigned


def keep_alike(group: Group, constraint: CountConstraint, assigned: Index, ratio: float) -> Index:
    """[P] an assignment with fewer moves: partitions of one class, and of one topic where topics
    count, change places if their lags are less than `ratio` apart, so that owners keep as many as
    they get. Lags below a `NEGLIGIBLE` part of a fair share count as equal. O(P log P)."""
    free = np.flatnonzero(constraint.free & (assigned != NOBODY))
    if not len(free):
        return assigned
    lag, members = group.lag[free], group.n_members
    light = max(1.0, NEGLIGIBLE * float(lag.sum()) / max(1, int(np.count_nonzero(~group.idle))))
    kind = (np.log(np.maximum(lag / light, 1.0)) // np.log(ratio)).astype(np.int64)
    kind += group.partition_class[free] * (kind.max() + 1)
    if constraint.per_topic:
        kind += group.topic_of[free] * (kind.max() + 1)
    places, number = np.unique(kind * members + assigned[free], return_counts=True)
    owned = np.flatnonzero(group.owner[free] != NOBODY)
    home = kind[owned] * members + group.owner[free[owned]]
    stays = assigned[free[owned]] == group.owner[free[owned]]
    order = np.lexsort((~stays, home))
    owned, home = owned[order], home[order]
    place = place_of(home, places, (int(kind.max()) + 1) * members)
    kept = (place >= 0) & (ranks(home) < number[place])
    found = assigned.copy()
    found[free] = NOBODY
    found[free[owned[kept]]] = group.owner[free[owned[kept]]]
    np.subtract.at(number, place[kept], 1)
    rest = np.flatnonzero(found[free] == NOBODY)
    rest = rest[np.lexsort((-lag[rest], kind[rest]))]
    found[free[rest]] = np.repeat(places % members, number)
    return found


def _away(state: AssignmentState) -> Ints:
    """Partitions that are assigned to a member that is not their owner; where moves have a weight,
    the heaviest first."""
    owner = state.group.owner
    away = np.flatnonzero(
        (owner != NOBODY) & (owner != state.assigned) & (state.assigned != NOBODY)
    )
    if state.group.extended.move_unit is None:
        return away
    price = moves_added(state.group, away, owner[away], state.assigned[away])
    return away[np.argsort(-price, kind="stable")]


def _bring_home(state: AssignmentState, p: int, limit: UnevennessLimit, least: int) -> bool:
    """Return `p` to its owner in exchange for another partition, or for nothing, if that saves at
    least `least` moves and keeps the limit."""
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
    here, there, own = np.array([holder]), np.array([owner]), 1
    if group.extended.has_stakes:
        own = -int(moves_added(group, np.array([p]), here, there)[0])
        saved = own - moves_added(group, mine, there, here)
    else:
        saved = 1 - (group.owner[mine] == owner) + (group.owner[mine] == holder).astype(np.int64)
    weight = group.lag[p] - group.lag[mine]
    room = constraint.may_lose_one(state.counts, holder)
    if any_topic and room and constraint.may_gain_one(state.counts, owner):
        mine = np.append(mine, NOBODY)
        saved, weight = np.append(saved, own), np.append(weight, group.lag[p])
    enough = saved >= least
    if not enough.any():
        return False
    mine, weight = mine[enough], weight[enough]
    high, low = state.extremes()
    first = state.loads[owner] + state.scaled(weight, there)
    second = state.loads[holder] - state.scaled(weight, here)
    top = np.maximum(np.maximum(first, second), _others(state, owner, holder, high, 1))
    bottom = np.minimum(np.minimum(first, second), _others(state, owner, holder, low, -1))
    within = np.flatnonzero(
        (top - bottom <= limit.spread)
        & (_excess_after(state, owner, holder, first, second) <= limit.excess)
    )
    if not len(within):
        return False
    # Of moves with a weight the one that saves most; others save the same, or nearly so.
    first_one = saved[enough][within].argmax() if group.extended.move_unit is not None else 0
    back = mine[within[first_one : first_one + 1]]
    state.exchange(np.array([p]), back, np.array([holder], np.int32), group.owner[p : p + 1])
    return True


def _excess_after(
    state: AssignmentState, one: int, other: int, first: Ints, second: Ints
) -> Floats:
    """The excess over the mean load once two members have the loads `first` and `second`."""
    loads = state.loads[state.active].astype(np.float64)
    mean = loads.mean() if state.factor is None else state.mean
    now = np.maximum(0.0, loads - mean).sum()
    now -= max(0.0, state.loads[one] - mean) + max(0.0, state.loads[other] - mean)
    after: Floats = now + np.maximum(0.0, first - mean) + np.maximum(0.0, second - mean)
    return after


def _others(state: AssignmentState, one: int, other: int, extreme: float, sign: int) -> float:
    """The heaviest (sign 1) or lightest (−1) load of all members but two."""
    if state.loads[one] != extreme and state.loads[other] != extreme:
        return extreme
    rest = state.active[(state.active != one) & (state.active != other)]
    if not len(rest):
        return int(-sign * NEVER)
    loads = state.loads[rest]
    found: float = (loads.max() if sign > 0 else loads.min()).item()
    return found
