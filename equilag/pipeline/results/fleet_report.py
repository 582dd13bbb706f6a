"""The results of a finished run: its summary, and a row per group, largest improvement first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, TypeVar

from equilag.domain.errors import InputError
from equilag.pipeline.results.export import group_commands, planned_with
from equilag.pipeline.results.run_dir import (
    SUMMARY,
    check_summary,
    read_columns,
    read_summary,
    reading_run,
)
from equilag.planner.facts.fleet_run import (
    AssignorGaps,
    FailedGroup,
    FleetRun,
    GroupRow,
    GroupThroughput,
    assignor_gaps,
)

Row = TypeVar("Row", GroupRow, GroupThroughput)

CURRENT: Final = "current"
"""The assignor name under which `baseline/` holds the current assignment."""
_PLAN: Final = (
    "group", "status", "evidence", "partitions", "members", "moves", "lag_total", "unowned",
    "weight", "load_mean", "load_max", "load_spread", "load_excess", "load_spread_lower_bound",
    "load_excess_lower_bound", "gap_percent_of_mean", "throughput", "utilisation_now",
    "utilisation", "short_now", "short", "members_short", "hot_partitions", "action",
    "cause", "headline", "relief_percent", "policy", "time_limit_s",
)  # fmt: skip
_CURRENT: Final = ("group", "load_max", "load_spread", "load_excess")


def load_fleet(directory: str) -> FleetRun:
    """Return the results of the finished run in a directory, as ``equilag fleet`` wrote it.

    Needs pyarrow. Raises InputError that names the directory and the table if the run is
    unfinished, incomplete or damaged, and MissingExtra without pyarrow.
    """
    with reading_run(directory):
        summary = read_summary(directory)
        check_summary(summary, directory)
        plans = read_columns(directory, "plans", _PLAN).to_pylist()
        assigned = read_columns(directory, "baseline", _CURRENT, {"assignor": CURRENT})
        current = {row["group"]: row for row in assigned.to_pylist()}
        failures = read_columns(directory, "failures", FailedGroup._fields).to_pylist()
        for table, rows, part in (("plans", plans, "planned"), ("failures", failures, "failed")):
            expected = summary[part]["groups"]
            if len(rows) != expected:
                problem = f"holds {len(rows)} groups, but {SUMMARY} counts {expected}"
                raise InputError(problem, table, directory)
        groups = [_row(directory, plan, current.get(plan["group"])) for plan in plans]
        groups.sort(key=lambda row: (row.saved is None, -(row.saved or 0), row.group))
        return FleetRun(
            directory,
            summary,
            tuple(groups),
            tuple(sorted(FailedGroup(**row) for row in failures)),
            _gaps(directory, [row["assignor"] for row in summary["assignors"]]),
        )


def _gaps(path: str, assignors: Sequence[str]) -> tuple[AssignorGaps, ...]:
    """Read the gaps of all groups, by assignor."""
    table = read_columns(path, "baseline", ("assignor", "gap_percent_of_mean"))
    names, gaps = (column.to_pylist() for column in table.itercolumns())
    known: dict[str, list[float]] = {name: [] for name in assignors}
    for name, gap in zip(names, gaps, strict=True):
        if gap is not None and name in known:
            known[name].append(gap)
    return tuple(assignor_gaps(name, values) for name, values in known.items())


def _throughput(plan: Mapping[str, Any]) -> GroupThroughput | None:
    if plan["throughput"] is None:
        return None
    hot = [f"{one['topic']}-{one['partition']}" for one in json.loads(plan["hot_partitions"])]
    return _made_of(GroupThroughput, plan, verdict=plan["throughput"], hot=tuple(hot))


def _made_of(kind: Callable[..., Row], plan: Mapping[str, Any], **others: Any) -> Row:
    """A row with the columns of a plan that are called as its fields are, and with others."""
    named = {one.name: plan[one.name] for one in fields(kind) if one.name in plan}  # type: ignore[arg-type]
    return kind(**{**named, **others})


def _row(path: str, plan: Mapping[str, Any], current: Mapping[str, Any] | None) -> GroupRow:
    now = current or dict.fromkeys(_CURRENT)
    return _made_of(
        GroupRow,
        plan,
        **{f"{name}_now": now[f"load_{name}"] for name in ("max", "spread", "excess")},
        **{f"{name}_planned": plan[f"load_{name}"] for name in ("max", "spread", "excess")},
        spread_lower_bound=plan["load_spread_lower_bound"],
        excess_lower_bound=plan["load_excess_lower_bound"],
        lag=plan["lag_total"],
        throughput=_throughput(plan),
        commands=group_commands(
            path, plan["group"], planned_with(plan["policy"]), plan["time_limit_s"]
        ),
    )
