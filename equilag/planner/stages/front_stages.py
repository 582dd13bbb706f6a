"""The stage that searches the front between the fewest moves and the most even plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from equilag.domain.budget import PATIENCE
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import roughly
from equilag.domain.policy.policy_settings import DEFAULT_TOLERANCE
from equilag.planner.solving.front import Candidate, knee
from equilag.planner.solving.stage import SINGLE, STEP, Turn
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.planner.stages.descent_stages import GREEDY_DESCENT, greedy_step
from equilag.planner.stages.levelling_stages import window_of
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.local_search.levelling import level_loads
from equilag.solver.local_search.way_back import UnevennessLimit, return_to_owners

PERTURBATION: Final = 8
"""Exchanges that a perturbation tries: few, so that it stays close to where it started."""


def front_rounds(state: SolveState, turn: Turn) -> Iterator[Contribution]:
    """The whole front again and again, from other starts, until the budget is used up.

    A round walks downhill from a point of the front with blurred choices, evens out one point
    without another move, and takes the way back from it. Every few rounds start from a
    perturbation of the most even plan.
    """
    group = state.problem.group
    if group.n_partitions > SINGLE:
        return
    stop, number, last = turn.steps(10 * STEP + 1e-6 * group.n_partitions), 0, 0
    changes = state.front.changes
    while not state.done and not stop():
        if state.front.changes != changes:
            changes, last = state.front.changes, number
        if number - last >= max(PATIENCE, last):
            return
        yield from _round(state, turn, number)
        number += 1


def _round(state: SolveState, turn: Turn, number: int) -> Iterator[Contribution]:
    problem, rng = state.problem, state.rng
    group, constraint = problem.group, problem.constraint
    stop, start = turn.steps(greedy_step(group.n_partitions)), _start(state, number)
    if problem.moves_trade:
        for assigned in descend(group, constraint, start.assigned, rng, stop):
            yield Proposal(assigned, GREEDY_DESCENT)
    keep = problem.search_limit is not None or start is not state.most_even
    assigned = start.assigned if keep else _perturbed(group, constraint, start.assigned, rng)
    window = window_of(state)._replace(most_moves=start.moves if keep else None)
    if not state.excess_settled(start):
        window = window._replace(enough=-1)
    assigned = level_loads(group, constraint, assigned, rng, stop, window)
    yield Proposal(assigned, "front")
    if problem.moves_trade:
        limit = UnevennessLimit(roughly(start.spread), start.excess)
        back = return_to_owners(group, constraint, assigned, limit, stop)
        yield Proposal(back, "fewer-moves")


def _start(state: SolveState, number: int) -> Candidate:
    """In turn the most even plan, the one within the usual tolerance, the knee, and any."""
    points = state.front.points()
    if state.problem.search_limit is not None or number % 4 == 0 or len(points) < 2:
        return state.most_even
    if number % 4 == 1:
        slack = int(DEFAULT_TOLERANCE / 100 * state.problem.mean)
        near = state.front.fewest_moves_within(points[-1].spread + slack)
        return near or points[-1]
    if number % 4 == 2:
        return knee(points)
    return points[int(state.rng.integers(len(points)))]


def _perturbed(
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
