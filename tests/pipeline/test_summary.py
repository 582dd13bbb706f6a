"""The figures of a whole fleet; and the oracle of the tests on Spark, on cases computed by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from support.fleet_oracle import Row, differences, signals

from equilag.pipeline.results.summary import figures_of
from equilag.pipeline.sources.problems import COUNTED
from equilag.pipeline.sources.signals import Span

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


def sample(ts_s: int, end: int, committed: int) -> Row:
    return {
        "ts_ms": ts_s * 1000, "group": "g", "topic": "t", "partition": 0, "log_start": 0,
        "log_end": end, "committed": committed, "log_bytes": None,
    }  # fmt: skip


def test_differences_are_found() -> None:
    rows = [sample(80, 100, 50), sample(90, 200, 100), sample(100, 400, 120)]
    right = signals(rows, Span(at=100_000, window=100_000, horizon=10_000), "latest")
    (key,) = right
    names = {"group": "g", "topic": "t", "partition": 0}
    as_read = {name: float(v) if isinstance(v, Fraction) else v for name, v in right[key].items()}
    good = {**names, **as_read}
    assert differences({key: good}, right) == []
    assert len(differences({}, right)) == 1
    assert len(differences({key: {**good, "more": 1}}, right)) == 1
    for name, value in as_read.items():
        wrong = None if value is not None else 1
        assert len(differences({key: {**good, name: wrong}}, right)) == 1, name
        if isinstance(value, float):
            assert len(differences({key: {**good, name: value * (1 + 1e-6)}}, right)) == 1, name
