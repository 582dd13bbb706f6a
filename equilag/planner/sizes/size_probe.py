"""The heaviest load of one group under its best plan: the best one found, and a proved bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from equilag.certificate.bounds.heaviest import heavy
from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import UNLIMITED, SearchTarget
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.group import Flags, Group, Index
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import capacities_of, loads_of, member_counts
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.planner.sizes.size_bounds import LoadInterval, deal_heavy_first, relieve_heaviest
from equilag.planner.solving.problem import Task
from equilag.planner.solving.run import count, improve, state_of
from equilag.planner.solving.stage import STEP, ImprovingStage, ProgressObserver
from equilag.planner.solving.state import Contribution, Proposal, SolveState
from equilag.planner.stages.bounding_stages import CountingBounds
from equilag.planner.stages.exchange_stages import CapacityLevels, ExactTransfers
from equilag.planner.stages.improving_stages import (
    BulkDescent,
    PairedExchange,
    PairwiseSwaps,
    WindowSearch,
)
from equilag.solver.local_search.greedy_descent import descend
from equilag.solver.lower_bounds.load_bounds import crowded


class HeaviestBounds:
    """What no plan's heaviest load gets below, by counting.

    With one subscription, the bounds on the lightest load are left out: they take most of the time
    where capacities differ.
    """

    name: Final = "bounds"

    def applies(self, state: SolveState, budget: Budget) -> bool:
        return True

    def run(self, state: SolveState, budget: Budget) -> Iterator[Contribution]:
        group, counting = state.problem.group, state.problem.counting
        if len(group.class_topics) > 1:
            yield from CountingBounds().run(state, budget)
            return
        members = counting.active
        data = {"members": "all"}
        yield Claim("max_load_at_least", counting.average(members)[0], "average", data)
        for heaviest in crowded(counting, members):
            value = heavy(counting, members, heaviest)
            yield Claim("max_load_at_least", value, "heavy", {**data, "heaviest": heaviest})


PROBING: Final[tuple[ImprovingStage, ...]] = (
    BulkDescent(share=0.8, upto=0.5),
    PairedExchange(),
    CapacityLevels(),
    ExactTransfers(share=0.5, upto=0.6),
    PairwiseSwaps(),
    WindowSearch(),
)
"""The stages of `planner/run` that even out loads where nobody owns anything."""
SETTLING_WORK: Final = 6_000_000
"""Array elements of the search of a small group at most: about 0.05 s."""
MAX_DOWN: Final = 2_000
"""Partitions up to which single exchanges are worth their time; one takes some 3 ms there."""
MAX_STEPS: Final = 60
"""Exchanges on the way down from a plan that is nearly even."""
EXCHANGE: Final = 1e-8
"""Seconds for a pair of partitions in the search for an exchange, measured at 500 × 6."""


class SizedPlan(NamedTuple):
    """The plan with the smallest heaviest load that was found for a group."""

    load: LoadInterval
    reduction: Reduction
    assigned: Index
    """[units] of the reduced group."""


def probing_policy(policy: Policy) -> Policy:
    """The policy of a plan for a group of another size: even counts, and loads as even as can be.

    The settings of an extended group are in the fields of a pool's members already.
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
        # Without exact counts nothing is proved; without weights nothing is to be.
        load = _heaviest(task.group, draft.assigned)
        return SizedPlan(LoadInterval(0, load), task.reduction, draft.assigned)
    best = _heaviest(task.group, draft.assigned), draft.assigned
    improve(state, budget, observer, (HeaviestBounds(),))
    for assigned in _heavy_first(state, budget):
        state.record(Proposal(assigned, "heavy-first"))
        best = _better(best, (_heaviest(task.group, assigned), assigned))
    settled, best = _settled(state, best, budget)
    if not settled.proved:
        improve(state, budget, observer, PROBING)
        found = [candidate.assigned for candidate in state.front.candidates]
        for assigned in (*found, *_down(state, best[1], budget)):
            best = _better(best, (_heaviest(task.group, assigned), assigned))
    bound = max(settled.bound, state.proofs.highest)
    return SizedPlan(LoadInterval(min(bound, best[0]), best[0]), task.reduction, best[1])


def _down(state: SolveState, start: Index, budget: Budget) -> Iterator[Index]:
    """Plans on the way down from one, the heaviest or lightest member first: those that the other
    stages leave uneven where capacities differ, and a count has to change."""
    problem = state.problem
    if problem.has_capacities and problem.group.n_partitions <= MAX_DOWN:
        stop = budget.steps(3 * STEP + 3e-7 * problem.group.n_partitions)
        yield from descend(problem.group, problem.constraint, start, state.rng, stop, MAX_STEPS)


LoadedPlan: TypeAlias = tuple[Load, Index]
"""The heaviest load of an assignment, and the assignment [units]."""


def _better(one: LoadedPlan, other: LoadedPlan) -> LoadedPlan:
    return other if other[0] < one[0] else one


def _heaviest(group: Group, assigned: Index) -> Load:
    return loads_of(group, assigned).max


def _heavy_first(state: SolveState, budget: Budget) -> Iterator[Index]:
    """Plans that are made for their heaviest load, where everybody may take everything."""
    problem = state.problem
    group, policy = problem.group, problem.task.policy
    if len(group.class_topics) != 1 or group.partition_classes is not None or policy.minds_topics:
        return
    read = group.assignable
    weights, assigned = group.lag[read], state.most_even.assigned
    factor = capacities_of(group).rate
    limited = group.extended is not None and group.extended.has_room_limits
    free = policy.balance == UNCONSTRAINED and not limited
    counts = member_counts(assigned, group.n_members)
    if free:
        counts[:] = len(weights)
    dealt = deal_heavy_first(weights, counts, factor)
    yield _placed(assigned, read, dealt)
    stop = budget.steps(STEP + EXCHANGE * len(weights) ** 2 / len(factor), upto=0.3)
    yield _placed(assigned, read, relieve_heaviest(weights, dealt, factor, free, stop))


def _placed(assigned: Index, read: Flags, dealt: Index) -> Index:
    placed = assigned.copy()
    placed[read] = dealt
    return placed


def _settled(
    state: SolveState, best: LoadedPlan, budget: Budget
) -> tuple[LoadInterval, LoadedPlan]:
    """The least heaviest load of a small group, by exhaustive search between bound and plan."""
    group = state.problem.group
    bound = min(state.proofs.highest, best[0])
    whole = None if bound == best[0] else whole_problem(group, state.problem.constraint)
    if whole is None:
        return LoadInterval(bound, best[0]), best
    with budget.part(SETTLING_WORK, upto=0.7) as part:
        try:
            search = Search(whole.problem, part)
            while bound < best[0]:
                cap = min(best[0], (bound + best[0]) // 2 + 1)
                found = search.find(SearchTarget(UNLIMITED, floor=-1, cap=cap, strict=True))
                if found is None:
                    bound = cap
                else:
                    assigned = whole.assignment(found)
                    best = _heaviest(group, assigned), assigned
        except OutOfBudget:
            pass
    return LoadInterval(bound, best[0]), best
