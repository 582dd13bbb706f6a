"""Plan one group of a fleet, and compare the plan with the result of every assignor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.domain.group.group import Group
from equilag.pipeline.fleet_options import GroupSettings
from equilag.pipeline.sources.group_columns import ASSIGNMENT, baseline_columns, plan_columns
from equilag.pipeline.sources.snapshot_rows import Row, group_input
from equilag.planner.worth.thresholds import VerdictLimits

if TYPE_CHECKING:
    from equilag.domain.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The plan and the baselines of one group, as columns."""

    plan: dict[str, Any]
    baseline: list[dict[str, Any]]
    assignment: dict[str, Sequence[Any]]
    """`ASSIGNMENT` -> [P] a value for each partition."""


Planner = Callable[[Row, GroupSettings], GroupResult]


@dataclass(frozen=True, slots=True)
class PlanGroup:
    """The planner of a run; any picklable callable with the same signature can replace it."""

    weight: str = "lag"
    reset: str = "latest"
    limits: VerdictLimits = field(default_factory=VerdictLimits)

    def __call__(self, problem: Row, settings: GroupSettings) -> GroupResult:
        """Plan a row of `problems/`. Raises what `Group.build` and `solve` raise."""
        from equilag.planner.compare import comparison_of, run_assignors
        from equilag.planner.solve import solve

        start = time.perf_counter()
        # Balancing topic by topic knows no capacities.
        measured = not settings.policy.counts_topics
        group = Group.build(**group_input(problem, self.weight, self.reset, measured))
        plan = solve(
            group,
            settings.policy,
            time_limit=settings.time_limit,
            effort=settings.effort,
            seed=settings.seed,
        )
        found = comparison_of(plan, plan.wall_s, run_assignors(group, _assignors()))
        rows = [baseline_columns(plan, settings.policy, row) for row in found.rows]
        columns = plan_columns(plan, self.limits)
        if self.weight in ("rate", "bytes"):
            columns["headline"] = None  # it would call them records
        columns["task_s"] = time.perf_counter() - start
        return GroupResult(columns, rows, _assignment(plan))


@cache
def _assignors() -> tuple[str, ...]:
    """The assignors to compare with; looking up the installed ones takes milliseconds."""
    from equilag.heuristics import assignor_names

    return assignor_names()


def _assignment(plan: Plan) -> dict[str, Sequence[Any]]:
    """The columns `ASSIGNMENT`; what was balanced is in whole units."""
    group, weight, scale = plan.group, plan.planned.partition_weight, plan.planned.weight_scale
    whole = weight if scale == 1 else np.rint(weight / scale).astype(np.int64)
    numbers = np.arange(group.n_partitions) - group.topic_start[group.topic_of]
    ids = [*(member.id for member in group.members), None]  # the last one stands for NOBODY
    owners = ([ids[m] for m in column.tolist()] for column in (group.owner, plan.assigned))
    topics = [group.topics[t] for t in group.topic_of.tolist()]
    columns = topics, numbers.tolist(), *owners, whole.tolist()
    return {name: column for (name, _), column in zip(ASSIGNMENT, columns, strict=True)}
