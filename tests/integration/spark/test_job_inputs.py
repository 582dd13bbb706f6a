"""What a run reads and is asked to do: files of every kind, a time, weights, rules; and runs that
fail on the way."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from support import fleet_oracle as oracle
from support.made_fleets import FAULTY, TABLES, TINY, Row, make, options, read_table, write_lines

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError
from equilag.pipeline.job import run_fleet
from equilag.pipeline.results.export import export_group
from equilag.pipeline.sources.signals import Span

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

AT: Final = FAULTY.start_ms + 5 * FAULTY.every * 1000
"""The sixth of eight rounds."""
Run = tuple[dict[str, Any], dict[str, list[Row]]]


def run_on(history: Path, out: Path, **how: Any) -> Run:
    summary = run_fleet(options(history, out, weight="bytes", reset="earliest", **how))
    return json.loads(json.dumps(summary)), {name: read_table(out, name) for name in TABLES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("past")
    make(made / "history", FAULTY)
    return made


@pytest.fixture(scope="module")
def past(spark: SparkSession, folder: Path) -> Run:
    """A run as of a time in the past, which spreads bytes."""
    return run_on(folder / "history", folder / "then", at=AT)


@pytest.fixture(scope="module")
def cut(past: Run, folder: Path) -> Run:
    """The same over JSON lines of the history up to that time."""
    offsets, members = write_lines(folder / "history", folder / "lines", AT)
    return run_on(folder / "history", folder / "cut", offsets=(offsets,), members=(members,))


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_json_lines_up_to_a_time_are_parquet_as_of_it(past: Run, cut: Run, table: str) -> None:
    then, lines = past[1], cut[1]
    if table in ("problems", "quality"):
        assert sum(row["after_at"] for row in lines[table]) == 0
        assert sum(row["after_at"] for row in then[table]) > FAULTY.partitions
        ignored = ("after_at",)
    else:
        ignored = ()
    one, other = (
        [{k: v for k, v in row.items() if k not in ignored} for row in run[table]]
        for run in (then, lines)
    )
    if ignored:  # which had a part in the order of the rows
        one, other = (sorted(rows, key=lambda row: row["group"]) for rows in (one, other))
    assert one == other
    assert one


@pytest.mark.long
def test_the_summaries_tell_both_runs_apart_by_little(past: Run, cut: Run) -> None:
    then, lines = past[0], cut[0]
    assert then["at"] == lines["at"] == "2026-11-21T09:05:00Z"
    after = then["quality"]["faults"].pop("after_at")
    assert after["count"] > FAULTY.partitions
    for name in ("groups", "failed", "quality", "forecast", "at"):
        assert then[name] == lines[name], name


@pytest.mark.long
def test_bytes_are_those_behind_the_commit(past: Run, folder: Path) -> None:
    _, tables = past
    rows = read_table(folder / "history", "offsets")
    expected = oracle.signals(rows, Span(AT, 3_600_000, 120_000), "earliest")
    checked = 0
    for row in tables["assignment"]:
        of = expected[row["group"], row["topic"], row["partition"]]
        records = of["log_end"] - of["log_start"]
        share = of["lag"] * of["log_bytes"] / records if records else 0
        assert row["weight"] == pytest.approx(share, rel=1e-9, abs=1)
        checked += share > 0
    assert checked > FAULTY.partitions / 4


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    make(folder, TINY)
    return folder


@pytest.mark.long
@pytest.mark.parametrize(("weight", "reset"), [("rate", "none"), ("forecast", "earliest")])
def test_the_other_weights(
    spark: SparkSession, tiny: Path, tmp_path: Path, weight: str, reset: str
) -> None:
    run_fleet(options(tiny, tmp_path / "run", weight=weight, reset=reset))
    rows = read_table(tiny, "offsets")
    at = max(row["ts_ms"] for row in rows)
    expected = oracle.signals(rows, Span(at, 3_600_000, 120_000), reset)
    assigned = read_table(tmp_path / "run", "assignment")
    assert len(assigned) == TINY.partitions
    for row in assigned:
        of = expected[row["group"], row["topic"], row["partition"]]
        value = of["produce_per_s"] * 3600 if weight == "rate" else of["forecast"]
        assert row["weight"] == pytest.approx(float(value), abs=0.5001)
    assert any(row["weight"] for row in assigned)
    (group, *_) = {row["group"] for row in assigned}
    snapshot, plan = export_group(str(tmp_path / "run"), group)
    assert (load_snapshot(snapshot).lag == plan.group.lag).all()


def test_an_error_on_the_way_leaves_an_empty_directory(
    spark: SparkSession, tiny: Path, tmp_path: Path
) -> None:
    """As one that was not there goes: see tests/pipeline/test_run_dir.py."""
    out = tmp_path / "one"
    out.mkdir()
    seen: list[set[str]] = []

    def watch(stage: str, done: int, total: int) -> None:
        if stage == "signals":
            seen.append({path.name for path in out.iterdir()})

    with pytest.raises(InputError, match="weight: rate needs at least one partition"):
        run_fleet(options(tiny, out, weight="rate", window=1), watcher=watch)
    assert seen[0] == {"_work"}
    assert not list(out.iterdir())


def test_the_session_of_somebody_else_keeps_its_settings(
    spark: SparkSession, tiny: Path, tmp_path: Path
) -> None:
    """Also for a thread that has no session of its own; after a run that fails."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        spark.conf.set("spark.sql.shuffle.partitions", "7")
        chosen = options(tiny, tmp_path / "run", at=TINY.start_ms - 1)
        with ThreadPoolExecutor(1) as threads, pytest.raises(InputError) as caught:
            threads.submit(run_fleet, chosen).result()
        assert str(caught.value) == "offsets: no usable row up to 2026-11-21T08:59:59.999000Z"
        assert not (tmp_path / "run").exists()
        assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
        assert spark.range(1).count() == 1  # and it is still running
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before or "64")
