"""`solve`: the best plan within a time limit, end to end, with its proof."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Unpack

from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.run_settings import (
    PolicySettings,
    budget_of,
    checked_group,
    policy_from,
    task_of,
)
from equilag.planner.solving.stage import Watcher


def solve(
    group: Group,
    policy: str | Policy = "lag-aware",
    *,
    time_limit: float = 2.0,
    seed: int = 0,
    effort: float | None = None,
    deterministic: bool = False,
    progress: Watcher | None = None,
    stop: Event | None = None,
    **settings: Unpack[PolicySettings],
) -> Plan:
    """Return the best plan for the group that the time limit allows, with its certificate.

    `time_limit` is in seconds from the call to the returned plan; 0 gives a heuristic's plan. Lack
    of time never raises. `effort` limits the work instead, in seconds of one core, but counted: a
    run that the clock does not cut short gives the same plan everywhere for the same `seed`.
    `deterministic` is an effort of half the time limit. `settings` are those of the policy, such as
    `max_moves` or `capacity` (`PolicySettings` lists them, `domain.policy.settings` says what each
    does); None keeps the policy's own. `progress` is called now and then, from this thread.
    Once another thread or a signal handler sets `stop`, the run ends with the best plan so far,
    which says that it was `interrupted`.

    Raises InputError for settings that make no sense, and where `max_moves` is fewer than the
    goals before them force.
    """
    budget = budget_of(checked_group(group), time_limit, effort, deterministic, stop)
    task = task_of(group, policy_from(policy, **settings), seed)
    # The clock runs from the call, so what takes time to load is loaded after it was started.
    from equilag.planner.solving.make_plan import make_plan

    plan = make_plan(task, budget, progress)
    # Set after the run was done, `stop` changed nothing; whether it did cannot be told by then.
    return replace(plan, interrupted=True, repeatable=False) if budget.interrupted else plan
