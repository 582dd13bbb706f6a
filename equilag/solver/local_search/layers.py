"""Layers: loads into a window, by one place of each member dealt anew.

A layer is one place of each member: a partition that it holds, or one that its counts leave empty.
Of all ways to deal a layer anew, one place to each member, a cheapest assignment finds the one
whose loads are closest to the window: any number of exchanges along cycles of any length in one
step (Ahuja, Ergun, Orlin and Punnen, "A survey of very large-scale neighborhood search
techniques"). Layers are drawn at random, so that the next one offers other exchanges.

Members that cannot reach the window hide what would help the others. So the aim widens halfway to
the extreme loads where nothing helps, and narrows again when all loads are within it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, Final

import numpy as np

from equilag.domain.budget import PATIENCE, ROUNDS, TABLE
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.solver.local_search.assignment_state import AssignmentState, Window

STEPS: Final = 100
"""Steps of the distance from the aim, up to the largest one: the cost is the square of this number,
since a linear cost would leave a few members far outside."""


def deal_layers(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    window: Window,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> Index:
    """[P] an assignment within the constraint, with a spread no larger.

    It ends when no aim brings anything. `stop` is called before every layer. Where topics count one
    by one, nothing is changed. O(P log P + pairs of the layer's members), and a cheapest
    assignment, for each layer.
    """
    state = AssignmentState.of(group, constraint, assigned)
    if len(state.active) < 2 or constraint.per_topic:
        return assigned
    best, (high, low), part, stalled = assigned, state.extremes(), 1.0, 0
    while high - low > window.high - window.low and part >= 0.5**ROUNDS and not stop():
        aim = Window(
            min(window.low, low + part * (window.low - low)),
            max(window.high, high - part * (high - window.high)),
        )
        if aim.outside(state.loads[state.active]).any():
            _deal(state, aim, rng)
        else:
            part = 1.0
        stalled += 1
        if state.spread < high - low:
            best, (high, low), stalled = state.assigned.copy(), state.extremes(), 0
        elif stalled > PATIENCE:
            part, stalled = part / 2, 0
    return best


def _deal(state: AssignmentState, aim: Window, rng: np.random.Generator) -> None:
    """Deal one layer anew, of as many members as a table of their pairs has room for."""
    constraint, lag = state.constraint, state.group.lag
    order, start = state.by_member()
    held, empty = np.diff(start), np.zeros(len(state.counts), np.bool_)
    least, upto = constraint.counts_of()
    if constraint.instance_sums is None:  # else many changes of counts at once might pass its sums
        empty = state.counts < upto
    members = state.active[(held + empty)[state.active] > 0]
    most = isqrt(TABLE)
    if len(members) > most:
        far = np.argsort(-aim.outside(state.loads[members]), kind="stable")[: most // 2]
        some = rng.choice(np.delete(members, far), most - len(far), replace=False)
        members = np.concatenate((members[far], some))
    worst = aim.outside(state.loads[members]).max(initial=0)
    drawn = (rng.random(len(members)) * (held + empty)[members]).astype(np.int64)
    if worst <= 0:
        return
    place = np.append(order, NOBODY)[start[members] + drawn]
    place[drawn == held[members]] = NOBODY
    full, weight = place != NOBODY, np.where(place != NOBODY, lag[place], 0)
    may_take = constraint.may(place[:, None], members[None, :])
    may_lack = state.counts[members] - full >= least[members]
    one, other = np.nonzero(np.where(full[:, None], may_take, may_lack[None, :]))
    change = state.scaled(weight[one] - weight[other], members[other])
    outside = aim.outside(state.loads[members[other]] + change)
    fits = (outside <= worst) | (one == other)
    cost = np.minimum(outside[fits] * STEPS // worst, STEPS).astype(np.int64) ** 2
    taker = _cheapest(one[fits], other[fits], cost, len(members))
    moved = np.flatnonzero(full & (taker != np.arange(len(members))))
    state.transfer(place[moved], members[taker[moved]])


def _cheapest(left: Ints, right: Ints, cost: Ints, size: int) -> Ints:
    """[size] the partner of each left node in the cheapest perfect assignment; each node itself if
    the solver fails."""
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    solver: Any = SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(left.astype(np.int32), right.astype(np.int32), cost)
    if solver.solve() != solver.OPTIMAL:
        return np.arange(size)
    return np.array([solver.right_mate(node) for node in range(size)], np.int64)
