"""Plan one group of a fleet, and compare the plan with the result of every assignor."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from equilag.group import NOBODY, Flags, Group, Index, Ints
from equilag.metrics import count_moves
from equilag.pipeline.rules import GroupSettings
from equilag.pipeline.snapshot import Row, group_input

if TYPE_CHECKING:
    from equilag.plan import Plan
    from equilag.planner.compare import ComparisonRow
    from equilag.policy import Policy

Fields = tuple[tuple[str, str], ...]

PLAN: Final[Fields] = (
    ("status", "string"),
    ("evidence", "string"),
    ("algorithm", "string"),
    ("policy", "string"),
    ("partitions", "bigint"),
    ("members", "bigint"),
    ("count_max", "bigint"),
    ("count_min", "bigint"),
    ("lag_total", "bigint"),
    ("lag_max", "bigint"),
    ("lag_min", "bigint"),
    ("lag_spread", "bigint"),
    ("lag_mean", "double"),
    ("spread_lower_bound", "bigint"),
    ("gap", "bigint"),
    ("gap_percent_of_mean", "double"),
    ("lag_excess", "double"),
    ("excess_lower_bound", "bigint"),
    ("moves", "bigint"),
    ("moves_lower_bound", "bigint"),
    ("unowned", "bigint"),
    ("unowned_lag", "bigint"),
    ("unassigned", "bigint"),
    ("dropped_claims", "bigint"),
    ("certificate", "string"),
    ("choices", "string"),
    ("notes", "array<string>"),
    ("time_limit_s", "double"),
    ("wall_s", "double"),
    ("task_s", "double"),
)
"""Columns of `plans/` besides the group; `task_s` are all seconds spent on the group."""
BASELINE: Final[Fields] = (
    ("assignor", "string"),
    ("count_spread", "bigint"),
    ("moves", "bigint"),
    ("lag_max", "bigint"),
    ("lag_spread", "bigint"),
    ("lag_excess", "double"),
    ("gap_percent_of_mean", "double"),
    ("wall_ms", "double"),
    ("failed", "string"),
)
"""Columns of `baseline/` besides the group. A failed assignor has only the reason in `failed`."""
ASSIGNMENT: Final[Fields] = (
    ("topic", "string"),
    ("partition", "int"),
    ("from", "string"),
    ("to", "string"),
    ("weight", "bigint"),
)
"""Columns of `assignment/` besides the group; `weight` is the quantity that was balanced."""


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

    def __call__(self, problem: Row, settings: GroupSettings) -> GroupResult:
        """Plan a row of `problems/`. Raises what `Group.build` and `solve` raise."""
        from equilag.planner.compare import comparison_of, run_assignors
        from equilag.planner.solve import solve

        start = time.perf_counter()
        group = Group.build(**group_input(problem, self.weight, self.reset))
        plan = solve(
            group,
            settings.policy,
            time_limit=settings.time_limit,
            effort=settings.effort,
            seed=settings.seed,
        )
        found = comparison_of(plan, plan.wall_s, run_assignors(group))
        rows = [_baseline_columns(row) for row in found.rows]
        for row in rows:
            if not _comparable(plan, settings.policy, row["assignor"]):
                row["gap_percent_of_mean"] = None
        columns = _plan_columns(plan)
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
            group.lag,
        )


def _comparable(plan: Plan, policy: Policy, assignor: str) -> bool:
    """Return True if the plan's bound also holds for this assignor's assignment.

    A bound that depends on a limit of moves holds only for equilag, and so does that of a real
    group, whose rules the assignors do not know. No bound holds for the current assignment while
    partitions without an owner are missing from the loads.
    """
    if assignor == "equilag":
        return True
    if policy.moves_first or policy.max_moves is not None:
        return False
    if plan.reduction is not None and plan.reduction.group is not plan.reduction.given:
        return False
    return assignor != "current" or not _unowned(plan.group).any()


def _unowned(group: Group) -> Flags:
    """[P] True where a partition has a subscriber but no owner."""
    unowned: Flags = group.assignable & (group.owner == NOBODY)
    return unowned


def _baseline_columns(row: ComparisonRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name, _ in BASELINE}


def _plan_columns(plan: Plan) -> dict[str, Any]:
    lag = plan.lag
    return {
        "status": plan.status,
        "evidence": plan.evidence,
        "algorithm": plan.algorithm,
        "policy": json.dumps(plan.settings),
        "partitions": plan.group.n_partitions,
        "members": plan.group.n_members,
        "count_max": plan.counts.max,
        "count_min": plan.counts.min,
        "lag_total": lag.total,
        "lag_max": lag.max,
        "lag_min": lag.min,
        "lag_spread": lag.spread,
        "lag_mean": lag.mean,
        "spread_lower_bound": lag.spread_lower_bound,
        "gap": lag.gap,
        "gap_percent_of_mean": lag.gap_percent_of_mean,
        "lag_excess": lag.excess,
        "excess_lower_bound": lag.excess_lower_bound,
        "moves": count_moves(plan.group, plan.assigned),
        "moves_lower_bound": plan.moves_lower_bound,
        "unowned": int(np.count_nonzero(_unowned(plan.group))),
        "unowned_lag": int(plan.group.lag[_unowned(plan.group)].sum()),
        "unassigned": int(np.count_nonzero(plan.assigned == NOBODY)),
        "dropped_claims": plan.group.dropped_claims,
        "certificate": json.dumps([claim.to_dict() for claim in plan.claims]),
        "choices": json.dumps([asdict(choice) for choice in plan.choices]),
        "notes": list(plan.notes),
        "time_limit_s": plan.time_limit,
        "wall_s": plan.wall_s,
    }
