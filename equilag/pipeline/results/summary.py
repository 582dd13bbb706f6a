"""The figures of `summary.json` over the whole fleet, computed from a run's tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.pipeline.sources.problems import COUNTED

if TYPE_CHECKING:
    import pyarrow


def figures_of(run: Path) -> dict[str, Any]:
    """Compute all figures of a run whose tables are complete."""
    return {
        **_fleet(
            _table(run, "plans", "status", "evidence", "partitions", "members", "moves",
                   "task_s", "gap_percent_of_mean", "unowned", "unowned_lag"),
            _table(run, "failures", "kind"),
        ),
        "assignors": _assignors(
            _table(run, "baseline", "group", "assignor", "count_spread", "moves",
                   "gap_percent_of_mean", "wall_ms", "failed")
        ),
        "quality": _quality(_table(run, "quality", "samples", *COUNTED)),
        "forecast": _forecast(_table(run, "signals", "lag", "tested", "kept")),
    }  # fmt: skip


def _table(run: Path, name: str, *columns: str) -> pyarrow.Table:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(run / name, columns=list(columns))


def _column(table: pyarrow.Table, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a column as floats, with NaN for null."""
    column = table.column(name).cast("float64", safe=False).to_numpy()
    return np.asarray(column, dtype=np.float64)


def _total(table: pyarrow.Table, name: str) -> int:
    import pyarrow.compute

    return int(pyarrow.compute.sum(table.column(name)).as_py() or 0)


def _fleet(plans: pyarrow.Table, failures: pyarrow.Table) -> dict[str, Any]:
    """Count the planned groups with their quality, and the failed groups by kind."""
    gaps, seconds = _column(plans, "gap_percent_of_mean"), _column(plans, "task_s")
    statuses = plans.select(["status", "evidence"]).to_pylist()
    kinds = Counter(failures.column("kind").to_pylist())
    return {
        "groups": len(plans) + len(failures),
        "planned": {
            "groups": len(plans),
            "partitions": _total(plans, "partitions"),
            "members": _total(plans, "members"),
            "moves": _total(plans, "moves"),
            "unowned": _total(plans, "unowned"),
            "unowned_groups": int(np.count_nonzero(_column(plans, "unowned") > 0)),
            "unowned_lag": _total(plans, "unowned_lag"),
            "task_s": float(seconds.sum()),
            "longest_s": float(seconds.max(initial=0.0)),
            "median_gap_percent": _percentile(gaps, 50),
            "p95_gap_percent": _percentile(gaps, 95),
            "by_status": dict(Counter(row["status"] for row in statuses)),
            "optimal_by_solver": statuses.count({"status": "optimal", "evidence": "solver"}),
        },
        "failed": {"groups": len(failures), "by_kind": dict(kinds)},
    }


def _assignors(baseline: pyarrow.Table) -> list[dict[str, Any]]:
    """Return a row per assignor: its distance from the proved bound over all groups, best first.

    Gaps are in percent of a group's mean load, over the groups for which the bound holds.
    `even_counts` is the number of groups whose counts are as even as in equilag's plan.
    """
    even = {
        row["group"]: row["count_spread"]
        for row in baseline.select(["group", "assignor", "count_spread"]).to_pylist()
        if row["assignor"] == "equilag"
    }
    names = np.array(baseline.column("assignor").to_pylist(), dtype=object)
    rows = []
    for name in sorted(set(names.tolist())):
        results = baseline.filter(names == name)
        gaps, spreads = _column(results, "gap_percent_of_mean"), _column(results, "count_spread")
        gaps = gaps[~np.isnan(gaps)]
        evenest = np.array([even.get(group, np.inf) for group in results["group"].to_pylist()])
        rows.append(
            {
                "assignor": name,
                "groups": int(np.count_nonzero(~np.isnan(spreads))),
                "failed": len(results) - results.column("failed").null_count,
                "median_gap_percent": _percentile(gaps, 50),
                "mean_gap_percent": float(gaps.mean()) if len(gaps) else None,
                "p95_gap_percent": _percentile(gaps, 95),
                "even_counts": int(np.count_nonzero(spreads <= evenest)),
                "moves": _total(results, "moves"),
                "wall_ms": float(np.nansum(_column(results, "wall_ms"))),
            }
        )
    last = np.inf  # assignors without a gap
    return sorted(
        rows, key=lambda r: last if r["mean_gap_percent"] is None else r["mean_gap_percent"]
    )


def _percentile(values: np.ndarray[Any, np.dtype[np.float64]], percent: float) -> float | None:
    return float(np.percentile(values, percent)) if len(values) else None


def _quality(quality: pyarrow.Table) -> dict[str, Any]:
    """Count every fault over all groups, and the groups that have it."""
    faults = {}
    for name in COUNTED:
        if count := _total(quality, name):
            groups = int(np.count_nonzero(_column(quality, name) > 0))
            faults[name] = {"count": count, "groups": groups}
    return {"samples": _total(quality, "samples"), "faults": faults}


def _forecast(signals: pyarrow.Table) -> dict[str, Any]:
    """Compare the forecast of the newest samples, made one horizon before, with the actual lag.

    The forecast that nothing changes is measured as well. Errors are in records.
    """
    lag, tested, kept = (_column(signals, name) for name in ("lag", "tested", "kept"))
    known = ~np.isnan(tested)
    n, total = int(np.count_nonzero(known)), float(lag[known].sum())
    if not n:
        return {"partitions": 0}
    error = float(np.abs(lag - tested)[known].sum())
    unchanged = float(np.abs(lag - kept)[known].sum())
    return {
        "partitions": n,
        "mean_lag": total / n,
        "mean_error": error / n,
        "mean_error_unchanged": unchanged / n,
        "error_percent": 100 * error / total if total else None,
        "error_percent_unchanged": 100 * unchanged / total if total else None,
    }
