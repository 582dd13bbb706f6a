"""Plan one group of a fleet, and compare the plan with the result of every assignor."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.domain.group.group import Group, Index, Ints
from equilag.pipeline.fleet_options import GroupSettings
from equilag.pipeline.sources.group_columns import baseline_columns, plan_columns
from equilag.pipeline.sources.snapshot_rows import Row, group_input
from equilag.planner.worth.thresholds import VerdictLimits

if TYPE_CHECKING:
    from equilag.domain.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The plan and the baselines of one group, as columns."""

    plan: dict[str, Any]
    baseline: list[dict[str, Any]]
    topics: tuple[str, ...]
    members: tuple[str, ...]
    topic: Index
    """[P] index into `topics`."""
    partition: Ints
    """[P] number of the partition within its topic."""
    source: Index
    """[P] current owner as an index into `members`, or NOBODY."""
    target: Index
    """[P] planned owner, likewise."""
    weight: Ints
    """[P] the quantity that was balanced."""


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
        return GroupResult(
            columns,
            rows,
            group.topics,
            tuple(member.id for member in group.members),
            group.topic_of,
            np.arange(group.n_partitions) - group.topic_start[group.topic_of],
            group.owner,
            plan.assigned,
            _weights(plan),
        )


@cache
def _assignors() -> tuple[str, ...]:
    """The assignors to compare with; looking up the installed ones takes milliseconds."""
    from equilag.heuristics import assignor_names

    return assignor_names()


def _weights(plan: Plan) -> Ints:
    """[P] what was balanced, in whole units."""
    weight, scale = plan.planned.partition_weight, plan.planned.weight_scale
    return weight if scale == 1 else np.rint(weight / scale).astype(np.int64)
