"""The results of a finished run: its summary, and a row per group, largest improvement first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from equilag.domain.errors import InputError
from equilag.pipeline.results.export import group_commands, planned_with
from equilag.pipeline.results.run_dir import SUMMARY, read_summary
from equilag.pipeline.results.run_tables import check_summary, read_columns, rows_of
from equilag.planner.facts.fleet_run import (
    AssignorGaps,
    FailedGroup,
    FleetRun,
    GroupRow,
    GroupThroughput,
    GroupVerdict,
    assignor_gaps,
)

CURRENT: Final = "current"
"""The assignor name under which `baseline/` holds the current assignment."""
_PLAN: Final = (
    "group", "status", "partitions", "members", "moves", "lag_mean", "lag_max", "lag_spread",
    "lag_total", "spread_lower_bound", "gap_percent_of_mean", "policy", "time_limit_s",
)  # fmt: skip
_CURRENT: Final = ("group", "lag_max", "lag_spread")
_NEWER_PLAN: Final = ("evidence", "lag_excess", "excess_lower_bound", "unowned", "weight")
_NEWER_CURRENT: Final = ("lag_excess",)
"""Columns that older runs do not have."""


_LOADS: Final = (
    "load_max", "load_spread", "load_excess", "load_mean", "load_spread_lower_bound",
    "load_excess_lower_bound",
)  # fmt: skip
_CURRENT_LOADS: Final = ("load_max", "load_spread", "load_excess")
_THROUGHPUT: Final = (
    "throughput", "utilisation_now", "utilisation", "short_now", "short", "members_short",
    "hot_partitions",
)  # fmt: skip
_VERDICT: Final = ("action", "headline", "relief_percent")
"""Columns of runs that know loads other than lag, whether members keep up, what to do."""


def read_report(path: str) -> FleetRun:
    """Read the results of the run in a directory.

    Raises InputError naming the directory and the table if the run is unfinished or incomplete.
    """
    summary = read_summary(path)
    check_summary(summary, path)
    plans = rows_of(path, "plans", _PLAN, optional=(*_NEWER_PLAN, *_LOADS, *_THROUGHPUT, *_VERDICT))
    current = {
        row["group"]: row
        for row in rows_of(
            path, "baseline", _CURRENT, {"assignor": CURRENT}, (*_NEWER_CURRENT, *_CURRENT_LOADS)
        )
    }
    failures = rows_of(path, "failures", FailedGroup._fields)
    for table, rows, part in (("plans", plans, "planned"), ("failures", failures, "failed")):
        expected = summary[part]["groups"]
        if len(rows) != expected:
            problem = f"holds {len(rows)} groups, but {SUMMARY} counts {expected}"
            raise InputError(problem, table, path)
    groups = [_row(path, plan, current.get(plan["group"])) for plan in plans]
    groups.sort(key=lambda row: (row.saved is None, -(row.saved or 0), row.group))
    return FleetRun(
        path,
        summary,
        tuple(groups),
        tuple(sorted(FailedGroup(**row) for row in failures)),
        _gaps(path, [row["assignor"] for row in summary["assignors"]]),
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
    if plan.get("throughput") is None:
        return None
    hot = json.loads(plan["hot_partitions"])
    return GroupThroughput(
        group=plan["group"],
        verdict=plan["throughput"],
        members=plan["members"],
        moves=plan["moves"],
        utilisation_now=plan["utilisation_now"],
        utilisation=plan["utilisation"],
        short_now=plan["short_now"],
        short=plan["short"],
        members_short=plan["members_short"],
        hot=tuple(f"{one['topic']}-{one['partition']}" for one in hot),
    )


def _judged(plan: Mapping[str, Any]) -> GroupVerdict | None:
    if plan.get("action") is None:
        return None
    return GroupVerdict(*(plan[name] for name in _VERDICT))


def _spread(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row whose lag columns have what was spread, where that is known beside the lag."""
    if row.get("load_max") is None:
        return row
    known = {name: value for name, value in row.items() if name.startswith("load_")}
    short = {name.removeprefix("load_"): value for name, value in known.items()}
    bounds = {name: short[name] for name in short if name.endswith("lower_bound")}
    lag = {f"lag_{name}": value for name, value in short.items() if name not in bounds}
    return {**row, **lag, **bounds}


def _row(path: str, plan: Mapping[str, Any], current: Mapping[str, Any] | None) -> GroupRow:
    plan = _spread(plan)
    current = None if current is None else _spread(current)
    return GroupRow(
        group=plan["group"],
        status=plan["status"],
        evidence=plan.get("evidence"),
        partitions=plan["partitions"],
        members=plan["members"],
        load_mean=plan["lag_mean"],
        max_now=None if current is None else current["lag_max"],
        spread_now=None if current is None else current["lag_spread"],
        excess_now=None if current is None else current.get("lag_excess"),
        max_planned=plan["lag_max"],
        spread_planned=plan["lag_spread"],
        excess_planned=plan.get("lag_excess"),
        spread_lower_bound=plan["spread_lower_bound"],
        excess_lower_bound=plan.get("excess_lower_bound"),
        gap_percent_of_mean=plan["gap_percent_of_mean"],
        moves=plan["moves"],
        lag=plan["lag_total"],
        unowned=plan.get("unowned") or 0,
        weight=plan.get("weight"),
        throughput=_throughput(plan),
        judged=_judged(plan),
        commands=group_commands(
            path, plan["group"], planned_with(plan["policy"]), plan["time_limit_s"]
        ),
    )
