"""The results of a finished run: its summary, and a row per group, largest improvement first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from equilag.errors import InputError
from equilag.pipeline.run_dir import SUMMARY, read_summary
from equilag.pipeline.run_tables import check_summary, rows_of
from equilag.report.facts.fleet_run import FailedGroup, FleetReport, GroupRow

CURRENT: Final = "current"
"""The assignor name under which `baseline/` holds the current assignment."""
_PLAN: Final = (
    "group", "status", "partitions", "members", "moves", "lag_mean", "lag_max", "lag_spread",
    "spread_lower_bound", "gap_percent_of_mean",
)  # fmt: skip
_CURRENT: Final = ("group", "lag_max", "lag_spread")
_NEWER_PLAN: Final = ("evidence", "lag_excess", "excess_lower_bound")
_NEWER_CURRENT: Final = ("lag_excess",)
"""Columns that older runs do not have."""


def read_report(path: str) -> FleetReport:
    """Read the results of the run in a directory.

    Raises InputError naming the directory and the table if the run is unfinished or incomplete.
    """
    summary = read_summary(path)
    check_summary(summary, path)
    plans = rows_of(path, "plans", _PLAN, optional=_NEWER_PLAN)
    current = {
        row["group"]: row
        for row in rows_of(path, "baseline", _CURRENT, {"assignor": CURRENT}, _NEWER_CURRENT)
    }
    failures = rows_of(path, "failures", FailedGroup._fields)
    for table, rows, part in (("plans", plans, "planned"), ("failures", failures, "failed")):
        expected = summary[part]["groups"]
        if len(rows) != expected:
            problem = f"holds {len(rows)} groups, but {SUMMARY} counts {expected}"
            raise InputError(problem, table, path)
    groups = [_row(plan, current.get(plan["group"])) for plan in plans]
    groups.sort(key=lambda row: (row.saved is None, -(row.saved or 0), row.group))
    return FleetReport(
        path, summary, tuple(groups), tuple(sorted(FailedGroup(**row) for row in failures))
    )


def _row(plan: Mapping[str, Any], current: Mapping[str, Any] | None) -> GroupRow:
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
    )
