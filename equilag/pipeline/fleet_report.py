"""The results of a finished run: its summary, and a row per group, largest improvement first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from equilag.errors import InputError
from equilag.pipeline.run_dir import SUMMARY, read_summary
from equilag.pipeline.run_tables import check_summary, rows_of

CURRENT: Final = "current"
"""The assignor name under which `baseline/` holds the current assignment."""
_PLAN: Final = (
    "group", "status", "partitions", "members", "moves", "lag_mean", "lag_max", "lag_spread",
    "spread_lower_bound", "gap_percent_of_mean",
)  # fmt: skip
_CURRENT: Final = ("group", "lag_max", "lag_spread")


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A planned group now and under its plan. Loads and spreads are in units of the weight."""

    group: str
    status: str
    partitions: int
    members: int
    load_mean: float
    """Mean over the members that are not idle."""
    max_now: int | None
    """None, like `spread_now`, if no partition of the group has an owner."""
    spread_now: int | None
    max_planned: int
    spread_planned: int
    spread_lower_bound: int
    gap_percent_of_mean: float
    moves: int

    @property
    def saved(self) -> int | None:
        """Current spread minus planned spread.

        Below 0 only if the current counts are less even than possible, or partitions have no owner.
        """
        return None if self.spread_now is None else self.spread_now - self.spread_planned

    @property
    def max_over_mean(self) -> float | None:
        """The largest current load divided by the mean load."""
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
    """The results of the run in the directory `path`."""

    path: str
    summary: dict[str, Any]
    groups: tuple[GroupRow, ...]
    """Sorted by `saved`, largest first; groups without any owner come last."""
    failures: tuple[FailedGroup, ...]
    """Sorted by group name."""


def read_report(path: str) -> FleetReport:
    """Read the results of the run in a directory.

    Raises InputError naming the directory and the table if the run is unfinished or incomplete.
    """
    summary = read_summary(path)
    check_summary(summary, path)
    plans = rows_of(path, "plans", _PLAN)
    current = {
        row["group"]: row for row in rows_of(path, "baseline", _CURRENT, {"assignor": CURRENT})
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
        partitions=plan["partitions"],
        members=plan["members"],
        load_mean=plan["lag_mean"],
        max_now=None if current is None else current["lag_max"],
        spread_now=None if current is None else current["lag_spread"],
        max_planned=plan["lag_max"],
        spread_planned=plan["lag_spread"],
        spread_lower_bound=plan["spread_lower_bound"],
        gap_percent_of_mean=plan["gap_percent_of_mean"],
        moves=plan["moves"],
    )
