"""The figures of one group of a fleet as columns of `plans/` and `baseline/`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Group
from equilag.domain.plan.metrics import count_moves
from equilag.domain.reduction.reduce import known_capacities
from equilag.planner.facts.fleet_run import MAX_NAMED
from equilag.planner.facts.work import WorkFacts
from equilag.planner.verdict.plan_verdict import verdict_of
from equilag.planner.worth.judged_plan import JudgedPlan
from equilag.planner.worth.thresholds import VerdictLimits

if TYPE_CHECKING:
    from equilag.domain.plan.plan import Plan
    from equilag.domain.plan.plan_figures import ThroughputFigures
    from equilag.domain.policy.policy import Policy
    from equilag.planner.compare import ComparisonRow

Fields = tuple[tuple[str, str], ...]

ThroughputVerdict: TypeAlias = Literal["keeps_up", "moves", "members", "uneven", "hot"]
"""All members keep up now; they do with the plan; they would be enough, or were with so many more;
neither the plan nor more members were found to help; a partition is produced to faster than any
member reads, so that no assignment helps."""
LOADS: Final[Fields] = (
    ("load_max", "double"),
    ("load_spread", "double"),
    ("load_excess", "double"),
)
"""What was spread, as if every member had the mean capacity of its group: so it is in records (of
work, of lag), and the groups of a fleet can be compared."""
THROUGHPUT: Final[Fields] = (
    ("throughput", "string"),
    ("rate", "double"),
    ("capacity", "double"),
    ("utilisation_now", "double"),
    ("utilisation", "double"),
    ("short_now", "double"),
    ("short", "double"),
    ("members_short", "bigint"),
    ("hot_partitions", "string"),
)
"""Whether members keep up (see `keeping_up`); null where no rate or no capacity is known."""
VERDICT: Final[Fields] = (
    ("action", "string"),
    ("cause", "string"),
    ("headline", "string"),
    ("relief_percent", "double"),
)
"""The verdict of `equilag plan` (see `equilag.planner.verdict.plan_verdict`)."""
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
    ("weight", "string"),
    *LOADS,
    ("load_min", "double"),
    ("load_mean", "double"),
    ("load_spread_lower_bound", "double"),
    ("load_excess_lower_bound", "double"),
    *THROUGHPUT,
    *VERDICT,
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
    *LOADS,
    ("utilisation", "double"),
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


def comparable(plan: Plan, policy: Policy, assignor: str) -> bool:
    """Return True if the plan's bound also holds for this assignor's assignment.

    A bound that depends on a limit of moves holds only for equilag, and so does that of a group
    with rules that the assignors do not know. No bound holds for the current assignment while
    partitions without an owner are missing from the loads.
    """
    if assignor == "equilag":
        return True
    if policy.moves_first or policy.max_moves is not None:
        return False
    if _has_rules(plan, policy):
        return False
    return assignor != "current" or not _unowned(plan.group).any()


def _has_rules(plan: Plan, policy: Policy) -> bool:
    """True if capacities differ, or not every member may take each partition it subscribes to."""
    group = plan.planned.given
    if plan.planned.group.extended.has_capacities:
        return True
    limited = any(m.max_partitions is not None or m.instance is not None for m in group.members)
    return policy.minds_racks or limited or bool(group.co_partitioned or group.allowed)


def _unowned(group: Group) -> Flags:
    """[P] True where a partition has a subscriber but no owner."""
    unowned: Flags = group.assignable & (group.owner == NOBODY)
    return unowned


def baseline_columns(plan: Plan, policy: Policy, row: ComparisonRow) -> dict[str, Any]:
    """A row of `baseline/`; what is not in it is null."""
    found = {name: getattr(row, name) for name, _ in BASELINE if hasattr(row, name)}
    if not comparable(plan, policy, row.assignor):
        found["gap_percent_of_mean"] = None
    if row.lag_max is None:
        return found
    loads: tuple[float | None, ...] = row.lag_max, row.lag_spread, row.lag_excess
    extended = row.extended
    if extended.load_max is not None:
        usual = mean_capacity(plan)
        given = extended.load_max, extended.load_spread, extended.load_excess
        loads = tuple(None if load is None else load * usual for load in given)
    found |= {name: load for (name, _), load in zip(LOADS, loads, strict=True)}
    return {**found, "utilisation": extended.busiest}


def mean_capacity(plan: Plan) -> float:
    """The mean capacity of the members that are not idle; 1 without any."""
    capacity = np.array(known_capacities(plan.group))[~plan.planned.group.idle]
    return float(capacity.mean()) if len(capacity) else 1.0


_OF_LAG: Final = ("total", "max", "min", "spread", "mean", "excess")


def plan_columns(plan: Plan, limits: VerdictLimits | None = None) -> dict[str, Any]:
    """A row of `plans/`, all but the seconds of the whole task; what is not in it is null."""
    lag, scaled = plan.lag, plan.planned.group.extended.load_divisor is not None
    judged = JudgedPlan(plan, limits)
    verdict = verdict_of(judged)
    as_planned = "status", "evidence", "algorithm", "moves_lower_bound", "wall_s"
    unowned = _unowned(plan.group)
    return {
        **{name: getattr(plan, name) for name in as_planned},
        "policy": json.dumps(plan.settings),
        "partitions": plan.group.n_partitions,
        "members": plan.group.n_members,
        "count_max": plan.counts.max,
        "count_min": plan.counts.min,
        **{f"lag_{name}": getattr(lag, name) for name in _OF_LAG},
        "spread_lower_bound": lag.spread_lower_bound,
        "gap": None if scaled else lag.gap,
        "gap_percent_of_mean": plan.loads.gap_percent_of_mean,
        "excess_lower_bound": None if scaled else lag.excess_lower_bound,
        **_loads(plan),
        **keeping_up(plan, judged.work),
        **{name: getattr(verdict, name) for name, _ in VERDICT},
        "moves": count_moves(plan.group, plan.assigned),
        "unowned": int(np.count_nonzero(unowned)),
        "unowned_lag": int(plan.group.lag[unowned].sum()),
        "unassigned": int(np.count_nonzero(plan.assigned == NOBODY)),
        "dropped_claims": plan.group.dropped_claims,
        "certificate": json.dumps([claim.to_dict() for claim in plan.claims]),
        "choices": json.dumps([asdict(choice) for choice in plan.choices]),
        "notes": list(plan.notes),
        "time_limit_s": plan.time_limit,
    }


def _loads(plan: Plan) -> dict[str, Any]:
    """What was spread; see `LOADS`."""
    usual = 1.0 if plan.loads is plan.lag else mean_capacity(plan)
    names = [name for name, _ in PLAN if name.startswith("load_")]
    return {
        "weight": "lag" if plan.extended is None else plan.extended.weight["kind"],
        **{name: getattr(plan.loads, name.removeprefix("load_")) * usual for name in names},
    }


def keeping_up(plan: Plan, work: WorkFacts | None) -> dict[str, Any]:
    """The columns `THROUGHPUT` of a plan; nothing where no rate, or not half of the capacities, are
    known."""
    known = sum(member.capacity is not None for member in plan.group.members)
    if (
        work is None
        or work.before is None
        or work.after is None
        or 2 * known < plan.group.n_members
    ):
        return {}
    now, planned = work.before, work.after
    more = None if planned.hot or work.least is None else work.least.more
    return {
        "throughput": _throughput_verdict(plan, now, planned, more),
        "rate": planned.rate,
        "capacity": planned.capacity,
        "utilisation_now": now.max,
        "utilisation": planned.max,
        "short_now": now.short,
        "short": planned.short,
        "members_short": more,
        "hot_partitions": json.dumps([hot._asdict() for hot in planned.hot[:MAX_NAMED]]),
    }


def _throughput_verdict(
    plan: Plan, now: ThroughputFigures, planned: ThroughputFigures, more: int | None
) -> ThroughputVerdict:
    if planned.hot:
        return "hot"
    # Partitions without an owner are read by nobody, so they are not kept up with.
    if now.keeps_up and not _unowned(plan.group).any():
        return "keeps_up"
    if planned.keeps_up:
        return "moves"
    return "members" if more is not None else "uneven"
