"""Facts of a fleet run without a run: groups, a summary, and a report of them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any, get_args

from equilag.domain.plan.verdict import Action
from equilag.planner.facts.fleet_run import (
    AssignorGaps,
    FailedGroup,
    FleetRun,
    GroupCommands,
    GroupRow,
    GroupThroughput,
    assignor_gaps,
)

ACTIONS = get_args(Action)
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
    lag=0,
    unowned=0,
    weight="lag",
    action="move",
    headline=None,
    relief_percent=149.0,
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
        "unowned": 0,
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
) -> FleetRun:
    """A report with `changes` in parts of its summary."""
    summary = deepcopy(SUMMARY)
    for part, value in changes.items():
        summary[part] = {**summary[part], **value} if isinstance(value, dict) else value
    return FleetRun("/runs/1", summary, rows, failures)


ODD_NAMES = ("<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "a\u202eb\n", "")
VERDICTS = ("keeps_up", "moves", "members", "uneven", "hot")


def many_groups(count: int) -> tuple[GroupRow, ...]:
    """Groups of all kinds with names of usual length, the first with odd ones; what they save
    descends."""
    return tuple(
        replace(
            ROW,
            group=ODD_NAMES[i] if i < len(ODD_NAMES) else f"team-payments.settlement-{i:04}",
            partitions=12 + i % 700,
            members=3 + i % 90,
            load_mean=1000.125 + i / 7,
            max_now=9876.54321 + i / 3,
            max_planned=1010.1 + i / 7,
            spread_now=9000.5 + i / 9,
            excess_now=2_000_000 / (i + 1) + 12.6,
            moves=i % 300,
            lag=123_456_789 // (i + 1),
            throughput=_throughput(i) if i % 3 else None,
            action=ACTIONS[i % len(ACTIONS)],
            headline=(
                f"Move {i % 300} of {12 + i % 700} partitions: heaviest member {9876 + i // 3:,} →"
                f" {1010 + i // 7:,} records (887 % → 0.9 % above the mean)"
            ),
            relief_percent=round(887.654321 / (1 + i % 5), 4),
            commands=GroupCommands(
                f"equilag fleet export /runs/1 team-payments.settlement-{i:04}",
                f"equilag plan team-payments.settlement-{i:04}.snapshot.json --policy lag-aware"
                " --weight=work --horizon=300s --seed 0 --effort 0.1 --time-limit 60.0",
            ),
        )
        for i in range(count)
    )


def _throughput(i: int) -> GroupThroughput:
    verdict = VERDICTS[i % len(VERDICTS)]
    more = i % 4 if verdict == "members" else None
    hot = tuple(f"settlement.requests-{k}" for k in range(i % 6)) if verdict == "hot" else ()
    now, planned = 1.03125 + i % 7, 0.987654
    return replace(
        KEPT, group=f"g{i}", verdict=verdict, utilisation_now=now, utilisation=planned,
        short_now=120.4 + i, short=float(i % 2), members_short=more, hot=hot,
    )  # fmt: skip


def fleet_gaps() -> tuple[AssignorGaps, ...]:
    return tuple(
        assignor_gaps(name, [0.0, 0.5, 2.0 + place, 30.0 * place, 80.0, 120.0 * place])
        for place, name in enumerate(("equilag", "range", "current"))
    )
