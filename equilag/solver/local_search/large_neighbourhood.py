"""A few members around the extremes, a few of their partitions, and the best split of those.

Everything else stays fixed. Each neighbourhood is a small problem for the exhaustive search, with
the spread inside it as the goal and the loads outside as walls, so that the plan never gets worse.
"""

from __future__ import annotations

import numpy as np

from equilag.budget import Budget, OutOfBudget
from equilag.constraint import CountConstraint
from equilag.exhaustive.search import Search
from equilag.exhaustive.small_problem import SmallProblem
from equilag.exhaustive.target import SearchTarget
from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.solver.local_search.assignment_state import AssignmentState

ITEMS = 26
MEMBERS = 4
WORK = 12_000_000
"""Array elements that one neighbourhood may cost."""
KICKS = 8
"""Exchanges at random that a new start begins with."""
STALLED = 40
"""Neighbourhoods in a row that change nothing at either end, after which it stops."""


def improve(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    budget: Budget,
    enough: int = 0,
    keep_moves: bool = False,
    rounds: int = 400,
) -> Index:
    """[P] an assignment with a spread no larger; O(rounds) small searches.

    Together they cost no more than `budget`, which is charged for them. `enough` is a spread at
    which to stop. With `keep_moves` no more partitions leave their owners than do already.
    """
    state = AssignmentState.of(group, constraint, assigned)
    stalled = 0
    if len(state.active) < 2:
        return assigned
    for number in range(rounds):
        if budget.expired() or state.spread <= enough or stalled >= STALLED or budget.work <= 0:
            break
        before = state.extremes()
        members = _members(state, rng, number)
        items = _items(state, rng, members)
        if len(items) > 1:
            with budget.part(WORK) as part:
                _resplit(state, items, members, part, keep_moves)
        stalled = 0 if state.extremes() != before else stalled + 1
    return state.assigned


def kicked(
    group: Group, constraint: CountConstraint, assigned: Index, rng: np.random.Generator
) -> Index:
    """[P] another assignment within the constraint: some exchanges at random, one for one."""
    result = assigned.copy()
    free = np.flatnonzero(constraint.free)
    if len(free) < 2:
        return result
    for one, other in rng.choice(free, (KICKS, 2)).tolist():
        a, b = int(result[one]), int(result[other])
        fits = constraint.may(one, b) and constraint.may(other, a)
        if constraint.per_topic:
            fits = fits and group.topic_of[one] == group.topic_of[other]
        if fits:
            result[one], result[other] = b, a
    return result


def _members(state: AssignmentState, rng: np.random.Generator, number: int) -> Ints:
    """The heaviest, the lightest or both, and others drawn from their exchange partners."""
    order = state.by_load()
    ends = {0: [order[0], order[-1]], 1: [order[0]], 2: [order[-1]]}[number % 3]
    partners = np.setdiff1d(order, ends)
    class_of = state.group.class_of
    face = state.constraint.face
    shared: Flags = np.logical_or.reduce(face[:, class_of[ends]], axis=1)
    shares: Flags = np.logical_or.reduce(face[shared], axis=0)
    partners = partners[shares[class_of[partners]]]
    size = min(len(partners), MEMBERS - len(ends) - int(number % 2))
    drawn = rng.choice(partners, size=size, replace=False) if size > 0 else partners[:0]
    return np.concatenate((np.array(ends), drawn)).astype(np.int64)


def _items(state: AssignmentState, rng: np.random.Generator, members: Ints) -> Ints:
    """Some free partitions of each member, about as many of each; a random choice."""
    share = max(2, ITEMS // len(members))
    chosen = []
    for member in members.tolist():
        held = state.held_by(member)
        chosen.append(held if len(held) <= share else rng.choice(held, share, replace=False))
    return np.sort(np.concatenate(chosen))


def _resplit(
    state: AssignmentState, items: Ints, members: Ints, budget: Budget, keep_moves: bool
) -> None:
    problem, moves = sub_problem(state, items, members)
    loads = state.loads[members]
    inside = int(loads.max() - loads.min())
    high, low = state.extremes()
    try:
        search = Search(problem, budget)
        for goal in (inside // 64, inside // 8, inside - 1):
            if goal < 0:
                continue
            limit = moves if keep_moves else None
            found = search.find(SearchTarget(goal, floor=low, cap=high, max_moves=limit))
            if found is not None:
                state.transfer(items, members[found])
                return
    except OutOfBudget:
        return


def sub_problem(state: AssignmentState, items: Ints, members: Ints) -> tuple[SmallProblem, int]:
    """The items and members as a small problem, and how many items are away from their owner."""
    group, constraint = state.group, state.constraint
    holder = state.assigned[items]
    column = np.full(group.n_members + 1, -2, dtype=np.int64)
    column[members] = np.arange(len(members))
    column[NOBODY] = NOBODY
    held = np.bincount(column[holder], minlength=len(members))
    weight = np.zeros(len(members), dtype=np.int64)
    np.add.at(weight, column[holder], group.lag[items])
    fixed = state.counts[members] - held
    least, most = constraint.counts_of(members)
    topic = topic_lo = topic_hi = None
    if state.per_topic is not None:
        number = np.unique(group.topic_of[items])
        topic = np.searchsorted(number, group.topic_of[items]).astype(np.int64)
        cells = np.ix_(number, members)
        mine = np.zeros((len(number), len(members)), dtype=np.int64)
        np.add.at(mine, (topic, column[holder]), 1)
        rest = state.per_topic[cells] - mine
        bounds = constraint.topic_counts_of(number, members)
        topic_lo, topic_hi = bounds.least - rest, bounds.most - rest
    owner = group.owner[items]
    problem = SmallProblem(
        lag=group.lag[items],
        allowed=constraint.may_each(items, members),
        base=state.loads[members] - weight,
        lo=np.maximum(least - fixed, 0),
        hi=most - fixed,
        owner=column[owner],
        topic=topic,
        topic_lo=topic_lo,
        topic_hi=topic_hi,
    )
    return problem, int(np.count_nonzero((owner != NOBODY) & (owner != holder)))
