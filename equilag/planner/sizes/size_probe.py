"""The heaviest load of one group under its best plan: the best one found, and a proved bound.

The engine is that of `solve`, from the same start and with the same seed, so that no plan of the
same group and effort has a smaller heaviest load. What only the heaviest load asks for comes beside
it: an exhaustive search of small groups, and patterns where members are identical.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.certificate.exhaustive.search import Search
from equilag.certificate.exhaustive.small_problem import UNLIMITED, SearchTarget
from equilag.certificate.exhaustive.whole_group import whole_problem
from equilag.domain.budget import Budget, OutOfBudget
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.metrics import loads_of, member_counts
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.planner.sizes.size_bounds import SizeLoad
from equilag.planner.solving.problem import Problem, Task
from equilag.planner.solving.run import BOUNDS, count, improve, phases_for, state_of
from equilag.planner.solving.stage import Draft, ProgressObserver
from equilag.planner.solving.state import SolveState
from equilag.planner.stages.exhaustive_stages import QUICK_WORK
from equilag.solver.local_search.heavy_apart import deal_heavy_first

BESIDE: Final = 0.5
"""Of what is left, what patterns may take, and then the search with even counts, or after it."""
FEW: Final = 4
"""Partitions per member up to which patterns come before exchanges, which prove 10 of 80 lists with
2 to 3 per member."""


@dataclass(eq=False, slots=True)
class SizedPlan:
    """The plan with the smallest heaviest load that was found so far for a group."""

    reduction: Reduction
    assigned: Index
    """[units] of the reduced group."""
    load: SizeLoad
    enough: float
    """All that is asked for is a plan with a load of this at most; 0 if it is the best one."""

    @property
    def settled(self) -> bool:
        """True if nothing is left to be found."""
        beyond = bool(self.enough) and self.load.at_least > self.enough
        return self.load.proved or self.load.load <= self.enough or beyond

    def take(self, assigned: Index) -> None:
        """An assignment [units], if it is any better."""
        value = loads_of(self.reduction.group, assigned).max
        if value < self.load.load:
            self.assigned, self.load = assigned, self.load._replace(load=value)

    def prove(self, bound: Load) -> None:
        """No plan has a smaller heaviest load."""
        bound = min(self.load.load, max(self.load.at_least, bound))
        self.load = self.load._replace(at_least=bound)


def probing_policy(policy: Policy) -> Policy:
    """The policy of a plan for a group of another size: even counts, and loads as even as can be.

    The settings of an extended group are in the fields of a pool's members already.
    """
    return Policy("lag-aware", policy.balance, tolerance=0.0)


def best_plan(
    group: Group,
    policy: Policy,
    budget: Budget,
    seed: int = 0,
    at_least: Load = 0,
    enough: float = 0.0,
) -> SizedPlan:
    """The best plan of a group without owners that the budget finds.

    `policy` is a `probing_policy`, `at_least` what is known of all plans, `enough` a load at which
    the search ends. Where work is counted, the engine may spend all of the budget, and what comes
    beside it as much again. Raises InputError where the partitions do not fit.
    """
    task = Task.of(reduce_group(group, policy), Objective(policy), seed)
    draft, state = _started(task, budget)
    load = SizeLoad(0, loads_of(task.reduction.group, draft.assigned).max)
    best = SizedPlan(task.reduction, draft.assigned, load, enough)
    if state is None or not task.group.lag.any():
        # Without exact counts nothing is proved; without weights nothing is to be.
        return best
    problem = state.problem
    work = budget.seconds_of_work() if budget.counted else None
    beside = Budget.of_run(budget.time_left, 0.0, work, budget.stop)
    improve(state, beside, ProgressObserver(None, beside), (BOUNDS,))
    best.prove(max(at_least, state.proofs.highest))
    _deal(best, problem)
    _settle(best, problem, beside)
    if _counts_free(problem):
        few = task.group.n_partitions <= FEW * task.group.n_members
        turns = _search_even, _pack
        for method in turns[::-1] if few else turns:
            with beside.portion(BESIDE) as part:
                method(best, problem, part)
    _search(best, state, budget, proves=True)
    if work is not None:
        budget.pay(work - beside.seconds_of_work())
    return best


def _started(task: Task, budget: Budget) -> tuple[Draft, SolveState | None]:
    """The first plan of a task, and the state of the search from there."""
    observer, notes = ProgressObserver(None, budget), list[str]()
    draft = count(task, budget, observer, notes)
    return draft, state_of(task, draft, notes)


def _search(best: SizedPlan, state: SolveState, budget: Budget, proves: bool) -> None:
    """The search of `solve`, until the heaviest load is proved.

    `proves` is False if the state is about fewer plans than those that are asked for.
    """
    observer, seen = ProgressObserver(None, budget), 0
    for phase in phases_for(state):
        part = budget.share(phase.share)
        for stage in phase.stages:
            if best.settled:
                return
            improve(state, part, observer, (stage,))
            if proves:
                best.prove(state.proofs.highest)
            for candidate in state.front.candidates if state.front.changes != seen else ():
                best.take(candidate.assigned)
            seen = state.front.changes


def _search_even(best: SizedPlan, problem: Problem, budget: Budget) -> None:
    """The search with even counts where counts are free: exact transfers find perfect plans."""
    if best.settled:
        return
    even = Policy("lag-aware", tolerance=0.0)
    task = problem.task
    reduction = reduce_group(task.reduction.given, even)
    _, state = _started(Task.of(reduction, Objective(even), task.seed), budget)
    if state is not None:
        _search(best, state, budget, proves=False)


def _deal(best: SizedPlan, problem: Problem) -> None:
    """The heaviest first, where everybody may take everything."""
    group = problem.group
    if best.settled or not _open_to_all(problem):
        return
    weights = group.lag[group.assignable]
    counts = member_counts(best.assigned, group.n_members)
    if _counts_free(problem):
        counts[:] = len(weights)
    best.take(_placed(group, deal_heavy_first(weights, counts, group.extended.capacities.rate)))


def _open_to_all(problem: Problem) -> bool:
    """True if every member may take every partition, whatever their topics."""
    group = problem.group
    one = len(group.class_topics) == 1 and group.partition_classes is None
    return one and not problem.task.policy.minds_topics


def _counts_free(problem: Problem) -> bool:
    """True if a member may hold any number of partitions."""
    limited = problem.group.extended.has_room_limits
    return problem.task.policy.balance == UNCONSTRAINED and not limited


def _placed(group: Group, dealt: Index) -> Index:
    """[units] from the members of those that are read."""
    placed = np.full(group.n_partitions, NOBODY, np.int32)
    placed[group.assignable] = dealt
    return placed


def _settle(best: SizedPlan, problem: Problem, budget: Budget) -> None:
    """The least heaviest load of a small group, by exhaustive search between bound and plan."""
    whole = None if best.settled else whole_problem(problem.group, problem.constraint)
    if whole is None:
        return
    with budget.part(QUICK_WORK, upto=0.7) as part:
        try:
            search = Search(whole.problem, part)
            while not best.settled:
                bound, load = best.load
                cap = min(load, (bound + load) // 2 + 1)
                found = search.find(SearchTarget(UNLIMITED, floor=-1, cap=cap, strict=True))
                if found is None:
                    best.prove(cap)
                else:
                    best.take(whole.assignment(found))
        except OutOfBudget:
            pass


def _pack(best: SizedPlan, problem: Problem, budget: Budget) -> None:
    """Patterns of what a member may hold, where members are identical."""
    if best.settled or problem.has_capacities or not _open_to_all(problem):
        return
    from equilag.solver.packing.pack_alike import PackingRounds, pack_alike  # 0.1 s to load

    group = problem.group
    weights, (bound, load) = group.lag[group.assignable], best.load
    seconds = min(budget.time_left, budget.seconds_of_work())
    rounds = PackingRounds.within(seconds, weights, int(load))
    if rounds is None:
        return
    rng, stop = np.random.default_rng(problem.task.seed), budget.steps(rounds.seconds)
    found = pack_alike(weights, group.n_members, int(bound), int(load), rounds.unit, rng, stop)
    best.prove(found.at_least)
    if found.assigned is not None:
        best.take(_placed(group, found.assigned))
