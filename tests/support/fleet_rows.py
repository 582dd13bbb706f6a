"""Facts of a fleet run without a run: groups, a summary, and a report of them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from equilag.report.facts.fleet_run import FailedGroup, FleetReport, GroupRow
from equilag.report.facts.fleet_throughput import GroupThroughput

ROW = GroupRow(
    group="orders",
    status="optimal",
    evidence="checked",
    partitions=12,
    members=3,
    load_mean=1000.0,
    max_now=2500,
    spread_now=2345,
    excess_now=1500.0,
    max_planned=1010,
    spread_planned=21,
    excess_planned=12.6,
    spread_lower_bound=20,
    excess_lower_bound=10,
    gap_percent_of_mean=0.1,
    moves=7,
)


def assignor(name: str, **changes: Any) -> dict[str, Any]:
    row = {
        "assignor": name,
        "groups": 4,
        "failed": 0,
        "median_gap_percent": 12.5,
        "mean_gap_percent": 25.25,
        "p95_gap_percent": 150.0,
        "even_counts": 3,
        "moves": 1234,
        "wall_ms": 8.0,
    }
    return {**row, **changes}


KEPT = GroupThroughput("orders", "moves", 3, 7, 1.5, 0.9, 120.4, 0.0, 0, ())


SETTINGS: dict[str, Any] = {
    "weight": "lag", "auto_offset_reset": "latest", "horizon_s": 600.0,
    "policy": {"name": "lag-aware"}, "effort": 0.1, "seed": 3, "rules": [],
}  # fmt: skip
SUMMARY: dict[str, Any] = {
    "at": "2026-01-02T03:04:05Z",
    "settings": SETTINGS,
    "groups": 7,
    "planned": {
        "groups": 4,
        "partitions": 48,
        "members": 12,
        "moves": 1028,
        "median_gap_percent": 0.25,
        "p95_gap_percent": 3.5,
        "by_status": {"optimal": 3, "feasible": 1},
    },
    "failed": {"groups": 3, "by_kind": {"stale": 1, "no_members": 2}},
    "assignors": [
        assignor("equilag", mean_gap_percent=0.001),
        assignor("range"),
        assignor("current", groups=3, moves=0, wall_ms=0.0),
    ],
    "quality": {
        "samples": 9999,
        "faults": {"late": {"count": 17, "groups": 1}, "vanished": {"count": 3, "groups": 2}},
    },
    "forecast": {
        "partitions": 40,
        "mean_lag": 100.0,
        "mean_error": 7.25,
        "mean_error_unchanged": 1234.5,
        "error_percent": 7.25,
        "error_percent_unchanged": None,
    },
}
FAILED = FailedGroup("gone", "stale", "last sampled 60 s before")
FAILURES = (
    FailedGroup("a", "no_members", "the group was empty"),
    FailedGroup("b", "no_members", "the group was empty"),
    FailedGroup("c", "stale", "last sampled 60 s before"),
)


def fleet_report(
    *rows: GroupRow, failures: tuple[FailedGroup, ...] = FAILURES, **changes: Any
) -> FleetReport:
    """A report with `changes` in parts of its summary."""
    summary = deepcopy(SUMMARY)
    for part, value in changes.items():
        summary[part] = {**summary[part], **value} if isinstance(value, dict) else value
    return FleetReport("/runs/1", summary, rows, failures)
