"""Large neighbourhood search: some partitions of a few members are assigned anew, exactly.

All other partitions stay fixed. Each neighbourhood, around the heaviest or lightest member, is a
small problem for the exhaustive search: a smaller spread inside it, and no load outside the present
extremes, so that the plan never gets worse.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import OUTSIDE, SearchTarget, SmallProblem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.domain.plan.metrics import capacities_of, has_stakes, stakes_held
from equilag.solver.local_search.assignment_state import AssignmentState
from equilag.solver.local_search.load_targets import ImprovementGoal

MAX_ITEMS_IN: Final = 26
"""Partitions of one neighbourhood, so that most searches end within `NEIGHBOURHOOD_WORK`."""
MAX_MEMBERS_IN: Final = 4
"""Members of one neighbourhood: the extremes and their partners."""
NEIGHBOURHOOD_WORK: Final = 12_000_000
"""Array elements that the search of one neighbourhood may cost."""
MAX_ROUNDS: Final = 400
"""Neighbourhoods of one run."""
PERTURBATION: Final = 8
"""Exchanges that a perturbation tries: few, so that it stays close to where it started."""
PATIENCE: Final = 40
"""Neighbourhoods in a row that change neither extreme load, after which the run ends."""


def search_neighbourhoods(
    group: Group,
    constraint: CountConstraint,
    assigned: Index,
    rng: np.random.Generator,
    budget: Budget,
    goal: ImprovementGoal,
    rounds: int = MAX_ROUNDS,
) -> Index:
    """[P] an assignment with a spread no larger, after at most `rounds` small searches.

    Together they cost no more than `budget`, which is charged for them.
    """
    state = AssignmentState.of(group, constraint, assigned)
    stalled = 0
    if len(state.active) < 2:
        return assigned
    for number in range(rounds):
        if budget.expired() or budget.work <= 0:
            break
        if state.spread <= goal.enough or stalled >= PATIENCE:
            break
        before = state.extremes()
        members = _members(state, rng, number, goal)
        items = _items(state, rng, members)
        if len(items) > 1:
            with budget.part(NEIGHBOURHOOD_WORK) as part:
                _resplit(state, items, members, part, goal.most_moves is not None)
        stalled = 0 if state.extremes() != before else stalled + 1
    return state.assigned


def perturbed(
    group: Group, constraint: CountConstraint, assigned: Index, rng: np.random.Generator
) -> Index:
    """[P] another assignment within the constraint, by some random swaps of two partitions."""
    result = assigned.copy()
    free = np.flatnonzero(constraint.free)
    if len(free) < 2:
        return result
    for one, other in rng.choice(free, (PERTURBATION, 2)).tolist():
        a, b = int(result[one]), int(result[other])
        fits = constraint.may(one, b) and constraint.may(other, a)
        if constraint.per_topic:
            fits = fits and group.topic_of[one] == group.topic_of[other]
        if fits:
            result[one], result[other] = b, a
    return result


def _members(
    state: AssignmentState, rng: np.random.Generator, number: int, goal: ImprovementGoal
) -> Ints:
    """The heaviest member, the lightest or both, and others that share partition classes with
    them, at random.

    If one of the two is where the goal has it already, only the other one, with others that are
    close to it in load: far from it, a heavy partition leaves nothing to exchange.
    """
    order = state.by_load()
    ends = {0: [order[0], order[-1]], 1: [order[0]], 2: [order[-1]]}[number % 3]
    above, below = state.loads[order[0]] > goal.high, state.loads[order[-1]] < goal.low
    if above != below:
        ends = [order[0] if above else order[-1]]
    partners = np.setdiff1d(order, ends)
    class_of = state.group.class_of
    face = state.constraint.face
    shared: Flags = np.logical_or.reduce(face[:, class_of[ends]], axis=1)
    shares: Flags = np.logical_or.reduce(face[shared], axis=0)
    partners = partners[shares[class_of[partners]]]
    size = min(len(partners), MAX_MEMBERS_IN - len(ends) - int(number % 2))
    if above != below and size > 0:
        apart = np.abs(state.loads[partners] - state.loads[ends[0]])
        close = int(rng.integers(size, len(partners), endpoint=True))
        partners = partners[np.argsort(apart, kind="stable")[:close]]
    drawn = rng.choice(partners, size=size, replace=False) if size > 0 else partners[:0]
    return np.concatenate((np.array(ends), drawn)).astype(np.int64)


def _items(state: AssignmentState, rng: np.random.Generator, members: Ints) -> Ints:
    """Some movable partitions of each member, at random, about as many of each; ascending."""
    share = max(2, MAX_ITEMS_IN // len(members))
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
    floor, cap = math.floor(low), math.ceil(high)  # the same where loads are integers
    try:
        search = Search(problem, budget)
        for spread in (inside // 64, inside // 8, inside - 1):
            if spread < 0:
                continue
            limit = moves if keep_moves else None
            found = search.find(SearchTarget(spread, floor, cap, limit))
            if found is not None:
                state.transfer(items, members[found])
                return
    except OutOfBudget:
        return


def sub_problem(state: AssignmentState, items: Ints, members: Ints) -> tuple[SmallProblem, int]:
    """The items and members as a small problem, and its moves as it is."""
    group, constraint = state.group, state.constraint
    holder = state.assigned[items]
    column = np.full(group.n_members + 1, OUTSIDE, dtype=np.int64)
    column[members] = np.arange(len(members))
    column[NOBODY] = NOBODY
    held = np.bincount(column[holder], minlength=len(members))
    weight = np.zeros(len(members), dtype=np.int64)
    np.add.at(weight, column[holder], group.lag[items])
    fixed = state.counts[members] - held
    least, most = constraint.counts_of(members)
    if constraint.instance_sums is not None:  # counts that stay keep to the sums of instances
        least = most = state.counts[members]
    topic = topic_lo = topic_hi = None
    if state.per_topic is not None:
        number = np.unique(group.topic_of[items])
        topic = np.searchsorted(number, group.topic_of[items]).astype(np.int64)
        cells = number[:, None], members[None, :]
        mine = np.zeros((len(number), len(members)), dtype=np.int64)
        np.add.at(mine, (topic, column[holder]), 1)
        rest = state.per_topic.at(*cells) - mine
        bounds = constraint.topics.at(*cells)
        topic_lo, topic_hi = bounds.least - rest, bounds.most - rest
    owner, capacities = group.owner[items], capacities_of(group)
    loads = state.unscaled(state.loads)[members]
    problem = SmallProblem(
        lag=group.lag[items],
        allowed=constraint.may_each(items, members),
        base=loads - weight,
        lo=np.maximum(least - fixed, 0),
        hi=most - fixed,
        owner=column[owner],
        capacities=None if capacities.are_equal else capacities.among(members),
        stakes=stakes_held(group, items[:, None], members[None, :]) if has_stakes(group) else None,
        topic=topic,
        topic_lo=topic_lo,
        topic_hi=topic_hi,
    )
    return problem, problem.moves(column[holder])
