"""What a finished run says of its fleet: the summary, and a row per group, the worst first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from equilag.errors import InputError
from equilag.pipeline.run_dir import SUMMARY, read_summary
from equilag.pipeline.run_tables import check_summary, plan_row, read_columns, rows_of

CURRENT: Final = "current"
_PLAN: Final = (
    "group", "status", "partitions", "members", "moves", "lag_mean", "lag_max", "lag_spread",
    "spread_lower_bound", "gap_percent_of_mean",
)  # fmt: skip
_NOW: Final = ("group", "lag_max", "lag_spread")


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A planned group today and under its plan; loads and spreads are in units of the weight."""

    group: str
    status: str
    partitions: int
    members: int
    load_mean: float
    """Per member that is not idle."""
    max_now: int | None
    """None, as `spread_now`, where nobody owns anything."""
    spread_now: int | None
    max_planned: int
    spread_planned: int
    spread_lower_bound: int
    gap_percent_of_mean: float
    moves: int

    @property
    def saved(self) -> int | None:
        """What the plan takes off the spread; below 0 where today's counts are less even than they
        can be, or not everything is owned."""
        return None if self.spread_now is None else self.spread_now - self.spread_planned

    @property
    def max_over_mean(self) -> float | None:
        """Today's heaviest member, in times of the mean load."""
        if self.max_now is None or not self.load_mean:
            return None
        return self.max_now / self.load_mean

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "saved": self.saved, "max_over_mean": self.max_over_mean}


class FailedGroup(NamedTuple):
    """A group without a plan."""

    group: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class FleetReport:
    path: str
    summary: dict[str, Any]
    groups: tuple[GroupRow, ...]
    """By what the plan takes off the spread, most first; those nobody owns anything in, last."""
    failures: tuple[FailedGroup, ...]
    """By name."""


def read_report(path: str) -> FleetReport:
    """The report of the run in a directory.

    Raises InputError, which names the directory and the table, for a run that is not finished or
    not whole.
    """
    summary = read_summary(path)
    check_summary(summary, path)
    plans = rows_of(path, "plans", _PLAN)
    now = {row["group"]: row for row in rows_of(path, "baseline", _NOW, {"assignor": CURRENT})}
    failures = rows_of(path, "failures", FailedGroup._fields)
    for table, rows, part in (("plans", plans, "planned"), ("failures", failures, "failed")):
        due = summary[part]["groups"]
        if len(rows) != due:
            raise InputError(f"holds {len(rows)} groups, and {SUMMARY} says {due}", table, path)
    groups = [_row(plan, now.get(plan["group"])) for plan in plans]
    groups.sort(key=lambda row: (row.saved is None, -(row.saved or 0), row.group))
    return FleetReport(
        path, summary, tuple(groups), tuple(sorted(FailedGroup(**row) for row in failures))
    )


def group_row(path: str, group: str) -> GroupRow:
    """One group's row of the report. Raises InputError as `plan_row` and `read_report` do."""
    read_summary(path)
    plan = plan_row(path, group, _PLAN)
    now = read_columns(path, "baseline", _NOW, {"assignor": CURRENT, "group": group}).to_pylist()
    return _row(plan, now[0] if now else None)


def _row(plan: Mapping[str, Any], now: Mapping[str, Any] | None) -> GroupRow:
    return GroupRow(
        group=plan["group"],
        status=plan["status"],
        partitions=plan["partitions"],
        members=plan["members"],
        load_mean=plan["lag_mean"],
        max_now=None if now is None else now["lag_max"],
        spread_now=None if now is None else now["lag_spread"],
        max_planned=plan["lag_max"],
        spread_planned=plan["lag_spread"],
        spread_lower_bound=plan["spread_lower_bound"],
        gap_percent_of_mean=plan["gap_percent_of_mean"],
        moves=plan["moves"],
    )
