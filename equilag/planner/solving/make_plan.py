"""One run from a task to its plan."""

from __future__ import annotations

from equilag.domain.budget import Budget
from equilag.domain.plan.plan import Plan
from equilag.planner.solving.problem import Task
from equilag.planner.solving.read_limit import has_read_limit, plan_within_reads
from equilag.planner.solving.result import fallback_plan, plan_of, settled_plan
from equilag.planner.solving.run import count, search, state_of
from equilag.planner.solving.stage import ProgressObserver, Watcher


def make_plan(task: Task, budget: Budget, progress: Watcher | None = None) -> Plan:
    """Return the best plan that the budget allows. Raises InputError as `solve` does."""
    observer, notes = ProgressObserver(progress, budget), list[str]()
    if has_read_limit(task):
        return plan_within_reads(task, budget, observer)
    draft = count(task, budget, observer, notes)
    plan = settled_plan(task, draft, budget, notes)
    if plan is not None:
        return plan
    state = state_of(task, draft, notes)
    if state is None:
        return fallback_plan(task, draft, budget, notes)
    search(state, budget, observer)
    return plan_of(state, budget)
