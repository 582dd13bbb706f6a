"""Plans within a limit on reads across racks that is not the fewest.

Such a limit is no count constraint: which reads are given up for an even load is open. So the group
is searched twice, without the limit and among the plans with the fewest reads. What keeps to the
limit is compared, and what is proved of all plans holds for those within the limit. Small groups go
to CP-SAT with the limit as a row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from equilag.budget import Budget
from equilag.metrics import cross_reads
from equilag.plan import Plan
from equilag.planner.cpsat_stage import FullModel
from equilag.planner.progress import ProgressObserver
from equilag.planner.result import plan_of
from equilag.planner.run import count, improve, phases_for, search, state_of
from equilag.planner.state import Proposal, SolveState
from equilag.planner.task import Task

FIRST: Final = 0.45
"""Of the time, what the search without the limit gets; the second one gets as much."""
SECOND: Final = 0.8
"""Of the time that is left then."""


def has_read_limit(task: Task) -> bool:
    """True if reads across racks are limited, and not the fewest anyway."""
    real, policy = task.group.real, task.policy
    limited = policy.max_cross_rack is not None and not policy.rack_aware
    return limited and real is not None and real.cross is not None


def plan_within_reads(task: Task, budget: Budget, observer: ProgressObserver) -> Plan:
    """The best plan that reads no more partitions across racks than the policy allows.

    Raises InputError if the counts force more reads than that.
    """
    limit = task.policy.max_cross_rack
    assert limit is not None
    notes: list[str] = []
    tight = _searched(_variant(task, rack_aware=True), budget.share(FIRST), observer, notes)
    task.policy.check_reads(tight.problem.constraint.most_across or 0)
    free = _searched(_variant(task, rack_aware=False), budget.share(SECOND), observer, notes)
    problem = replace(
        free.problem,
        task=task,
        make_constraint=lambda: free.problem.constraint.within_reads(limit),
    )
    state = SolveState.of(problem, tight.incumbent, free.proofs, notes)
    for candidate in (*tight.front.candidates, *free.front.candidates):
        if cross_reads(task.group, candidate.assigned) <= limit:
            state.record(Proposal(candidate.assigned, candidate.algorithm))
    improve(state, budget, observer, (FullModel(searched=None),))
    return plan_of(state, budget)


def _variant(task: Task, rack_aware: bool) -> Task:
    policy = replace(task.policy, rack_aware=rack_aware, max_cross_rack=None)
    return task._replace(objective=task.objective._replace(policy=policy))


def _searched(
    task: Task, budget: Budget, observer: ProgressObserver, notes: list[str]
) -> SolveState:
    state = state_of(task, count(task, budget, observer, notes), notes)
    assert state is not None  # counts of a reduced group are always exact
    search(state, budget, observer, phases_for(state, budget))
    return state
