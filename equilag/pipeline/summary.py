"""What a run found, over the whole fleet: the figures of `summary.json`, from the run's tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.pipeline.problems import COUNTED

if TYPE_CHECKING:
    import pyarrow


def figures_of(run: Path) -> dict[str, Any]:
    """All of it; the tables of the run are complete."""
    return {
        **_fleet(
            _table(run, "plans", "status", "partitions", "members", "moves", "task_s",
                   "gap_percent_of_mean", "unowned", "unowned_lag"),
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
    """Numbers, with NaN where there is none."""
    column = table.column(name).cast("float64", safe=False).to_numpy()
    return np.asarray(column, dtype=np.float64)


def _total(table: pyarrow.Table, name: str) -> int:
    import pyarrow.compute

    return int(pyarrow.compute.sum(table.column(name)).as_py() or 0)


def _fleet(plans: pyarrow.Table, failures: pyarrow.Table) -> dict[str, Any]:
    """How many groups are planned how well, how many are not and why."""
    gaps, seconds = _column(plans, "gap_percent_of_mean"), _column(plans, "task_s")
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
            "by_status": dict(Counter(plans.column("status").to_pylist())),
        },
        "failed": {"groups": len(failures), "by_kind": dict(kinds)},
    }


def _assignors(baseline: pyarrow.Table) -> list[dict[str, Any]]:
    """A row per assignor: how far its plans are from the proved bound, over all groups.

    The gaps are in percent of a group's mean load, over the groups where there is one to compare
    with; `even_counts` is in how many groups the counts are as even as those of equilag's plan.
    """
    best = {
        row["group"]: row["count_spread"]
        for row in baseline.select(["group", "assignor", "count_spread"]).to_pylist()
        if row["assignor"] == "equilag"
    }
    names = np.array(baseline.column("assignor").to_pylist(), dtype=object)
    rows = []
    for name in sorted(set(names.tolist())):
        own = baseline.filter(names == name)
        gaps, spreads = _column(own, "gap_percent_of_mean"), _column(own, "count_spread")
        gaps = gaps[~np.isnan(gaps)]
        least = np.array([best.get(group, np.inf) for group in own.column("group").to_pylist()])
        rows.append(
            {
                "assignor": name,
                "groups": int(np.count_nonzero(~np.isnan(spreads))),
                "failed": len(own) - own.column("failed").null_count,
                "median_gap_percent": _percentile(gaps, 50),
                "mean_gap_percent": float(gaps.mean()) if len(gaps) else None,
                "p95_gap_percent": _percentile(gaps, 95),
                "even_counts": int(np.count_nonzero(spreads <= least)),
                "moves": _total(own, "moves"),
                "wall_ms": float(np.nansum(_column(own, "wall_ms"))),
            }
        )
    far = np.inf
    return sorted(
        rows, key=lambda r: far if r["mean_gap_percent"] is None else r["mean_gap_percent"]
    )


def _percentile(values: np.ndarray[Any, np.dtype[np.float64]], percent: float) -> float | None:
    return float(np.percentile(values, percent)) if len(values) else None


def _quality(quality: pyarrow.Table) -> dict[str, Any]:
    """Every fault over all groups, and how many groups have it."""
    faults = {}
    for name in COUNTED:
        if count := _total(quality, name):
            groups = int(np.count_nonzero(_column(quality, name) > 0))
            faults[name] = {"count": count, "groups": groups}
    return {"samples": _total(quality, "samples"), "faults": faults}


def _forecast(signals: pyarrow.Table) -> dict[str, Any]:
    """The forecast for the newest samples from what was known one horizon before, against what
    came, beside the forecast that nothing changes. Errors are in records."""
    lag, tested, kept = (_column(signals, name) for name in ("lag", "tested", "kept"))
    known = ~np.isnan(tested)
    n, total = int(np.count_nonzero(known)), float(lag[known].sum())
    if not n:
        return {"partitions": 0}
    off = float(np.abs(lag - tested)[known].sum())
    unchanged = float(np.abs(lag - kept)[known].sum())
    return {
        "partitions": n,
        "mean_lag": total / n,
        "mean_error": off / n,
        "mean_error_unchanged": unchanged / n,
        "error_percent": 100 * off / total if total else None,
        "error_percent_unchanged": 100 * unchanged / total if total else None,
    }
