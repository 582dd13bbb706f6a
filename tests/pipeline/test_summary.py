"""The figures of a whole fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from equilag.pipeline.results.summary import figures_of
from equilag.pipeline.sources.problems import COUNTED

FAR = 2**62 - 1


def write(run: Path, name: str, columns: dict[str, Any]) -> None:
    (run / name).mkdir(parents=True)
    pq.write_table(pa.table(columns), run / name / "part-0.parquet")


def write_run(run: Path, lag: int = FAR, **changes: dict[str, Any]) -> None:
    """A run of two groups; `changes` are columns in place of those of a table."""
    n = range(2)
    write(run, "plans", {
        "status": pa.array(["optimal" for _ in n], pa.string()),
        "evidence": pa.array(["solver" if i == 1 else "checked" for i in n], pa.string()),
        **{name: pa.array([k + 1 for k in n], pa.int64()) for name in
           ("partitions", "members", "moves", "unowned", "unowned_lag")},
        **{name: pa.array([float(k) for k in n], pa.float64()) for name in
           ("task_s", "gap_percent_of_mean")},
    })  # fmt: skip
    write(run, "failures", {"kind": ["stale", "stale", "input"]})
    rows = [(f"g{k}", "equilag", 3, 0.0) for k in n]
    rows += [(f"g{k}", "range", 3 + k, None if k else 9.0) for k in n]
    write(run, "baseline", {
        "group": pa.array([r[0] for r in rows], pa.string()),
        "assignor": pa.array([r[1] for r in rows], pa.string()),
        "count_spread": pa.array([r[2] for r in rows], pa.int64()),
        "moves": pa.array([5 for _ in rows], pa.int64()),
        "gap_percent_of_mean": pa.array([r[3] for r in rows], pa.float64()),
        "wall_ms": pa.array([1.5 for _ in rows], pa.float64()),
        "failed": pa.array([None for _ in rows], pa.string()),
    })  # fmt: skip
    faults: dict[str, list[int]] = {name: [0, 2] for name in COUNTED}
    write(run, "quality", {"samples": [7, 8], **faults, **changes.get("quality", {})})
    write(run, "signals", {
        "lag": pa.array([lag, 10], pa.int64()),
        "tested": pa.array([float(lag), 4.0], pa.float64()),
        "kept": pa.array([lag, None], pa.int64()),
        **changes.get("signals", {}),
    })  # fmt: skip


def test_the_figures(tmp_path: Path) -> None:
    write_run(tmp_path, lag=30)
    figures = figures_of(tmp_path)
    assert figures["groups"] == 5
    assert figures["failed"] == {"groups": 3, "by_kind": {"stale": 2, "input": 1}}
    assert figures["planned"]["unowned_lag"] == 3
    assert figures["planned"]["median_gap_percent"] == 0.5
    best, other = figures["assignors"]
    assert (best["assignor"], best["even_counts"], best["groups"]) == ("equilag", 2, 2)
    assert (other["assignor"], other["even_counts"], other["mean_gap_percent"]) == ("range", 1, 9.0)
    assert figures["planned"]["by_status"] == {"optimal": 2}
    assert figures["planned"]["optimal_by_solver"] == 1
    assert figures["quality"]["faults"]["late"] == {"count": 2, "groups": 1}
    assert figures["forecast"]["mean_error"] == 3.0
    assert figures["forecast"]["mean_lag"] == 20.0


def test_a_lag_that_no_float_represents_does_not_fail_the_run(tmp_path: Path) -> None:
    write_run(tmp_path)
    assert figures_of(tmp_path)["forecast"]["partitions"] == 2


def test_a_history_without_old_samples_tests_no_forecast(tmp_path: Path) -> None:
    none = {"tested": pa.array([None] * 2, pa.float64()), "kept": pa.array([None] * 2, pa.int64())}
    write_run(tmp_path, signals=none)
    assert figures_of(tmp_path)["forecast"] == {"partitions": 0}


def test_only_faults_that_occurred_are_listed(tmp_path: Path) -> None:
    write_run(tmp_path, quality={name: [0, 0] for name in COUNTED} | {"missing": [3, 4]})
    quality = figures_of(tmp_path)["quality"]
    assert quality == {"samples": 15, "faults": {"missing": {"count": 7, "groups": 2}}}
