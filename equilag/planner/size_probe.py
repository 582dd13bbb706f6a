"""The heaviest load of one group under its best plan: the best one found, and a proved bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from equilag.budget import Budget, OutOfBudget
from equilag.exhaustive.search import Search
from equilag.exhaustive.target import UNLIMITED, SearchTarget
from equilag.exhaustive.whole_group import whole_problem
from equilag.group import Group, Index
from equilag.metrics import compared_loads, load_factor, member_counts
from equilag.objective import Objective
from equilag.planner.progress import ProgressObserver
from equilag.planner.bounding_stages import CountingBounds
from equilag.planner.capacity_stage import CapacityLevels
from equilag.planner.improving_stages import (
    BulkDescent,
    PairedExchange,
    PairwiseSwaps,
    WindowSearch,
)
from equilag.planner.run import count, improve, state_of
from equilag.planner.size_bounds import LoadInterval
from equilag.planner.size_descent import deal_heavy_first, relieve_heaviest
from equilag.planner.stage import STEP, ImprovingStage
from equilag.planner.state import Contribution, Proposal, SolveState
from equilag.planner.task import Task
from equilag.planner.transfer_stage import ExactTransfers
from equilag.policy import UNCONSTRAINED, Policy
from equilag.reduction.reduce import Reduction, reduce_group

PROBING: Final[tuple[ImprovingStage, ...]] = (
    CountingBounds(),
    BulkDescent(share=0.8, upto=0.5),
    PairedExchange(),
    CapacityLevels(),
    ExactTransfers(share=0.5, upto=0.6),
    PairwiseSwaps(),
    WindowSearch(),
)
"""The stages of `planner/run` that even out loads where nobody owns anything."""


class SizedPlan(NamedTuple):
    """The plan with the smallest heaviest load that was found for a group."""

    load: LoadInterval
    reduction: Reduction
    assigned: Index
    """[units] of the reduced group."""


def probing_policy(policy: Policy) -> Policy:
    """The policy of a plan for a group of another size: even counts, and loads as even as can be.

    The settings of a real group are in the fields of a pool's members already.
    """
    return Policy("lag-aware", policy.balance, tolerance=0.0)


def best_plan(group: Group, policy: Policy, budget: Budget, seed: int = 0) -> SizedPlan:
    """The best plan of a group without owners that the budget finds.

    `policy` is a `probing_policy`. The search is that for the smallest spread, whose plans have
    small heaviest loads too; in small groups another one then looks for nothing else. Raises
    InputError where the partitions do not fit.
    """
    task = Task.of(reduce_group(group, policy), Objective(policy), seed)
    observer, notes = ProgressObserver(None, budget), list[str]()
    draft = count(task, budget, observer, notes)
    state = state_of(task, draft, notes)
    if state is None or not task.group.lag.any():
        load = _heaviest(task.group, draft.assigned)
        return SizedPlan(LoadInterval(min(0, load), load), task.reduction, draft.assigned)
    for contribution in _heavy_first(state, budget):
        state.record(contribution)
    improve(state, budget, observer, PROBING)
    found = [(_heaviest(task.group, c.assigned), c.assigned) for c in state.front.candidates]
    value, assigned = min(found, key=lambda one: one[0])
    bound = min(value, state.proofs.highest)
    load, assigned = _settled(state, LoadInterval(bound, value), assigned, budget)
    return SizedPlan(load, task.reduction, assigned)


def _heavy_first(state: SolveState, budget: Budget) -> Iterator[Contribution]:
    """A plan that is made for its heaviest load, where everybody may take everything."""
    problem = state.problem
    group, policy = problem.group, problem.task.policy
    if len(group.class_topics) != 1 or group.partition_classes is not None or policy.counts_topics:
        return
    weights = group.lag[group.assignable]
    assigned = state.most_even.assigned
    factor = load_factor(group)
    if factor is None:
        factor = np.ones(group.n_members, np.int64)
    free = policy.balance == UNCONSTRAINED and not (group.real and group.real.shapes_counts)
    counts = member_counts(assigned, group.n_members)
    if free:
        counts[:] = len(weights)
    dealt = assigned.copy()
    dealt[group.assignable] = deal_heavy_first(weights, counts, factor)
    yield Proposal(dealt, "heavy-first")
    stop = budget.steps(STEP + 1e-8 * len(weights) ** 2 / len(factor), upto=0.5)
    dealt[group.assignable] = relieve_heaviest(
        weights, dealt[group.assignable], factor, free, stop
    )
    yield Proposal(dealt, "heavy-first")


def _heaviest(group: Group, assigned: Index) -> int:
    return int(compared_loads(group, assigned).max(initial=0))


SETTLING_WORK: Final = 6_000_000
"""Array elements of the search of a small group: about 0.05 s."""


def _settled(
    state: SolveState, load: LoadInterval, assigned: Index, budget: Budget
) -> tuple[LoadInterval, Index]:
    """The least heaviest load of a small group, by exhaustive search between bound and value."""
    group = state.problem.group
    whole = None if load.proved else whole_problem(group, state.problem.constraint)
    if whole is None:
        return load, assigned
    bound, value = load
    with budget.part(SETTLING_WORK) as part:
        try:
            search_for = Search(whole.problem, part)
            while bound < value:
                cap = (bound + value) // 2
                found = search_for.find(SearchTarget(UNLIMITED, cap=cap))
                if found is None:
                    bound = cap + 1
                else:
                    assigned = whole.assignment(found)
                    value = _heaviest(group, assigned)
        except OutOfBudget:
            pass
    return LoadInterval(bound, value), assigned
