"""What a run reads and is asked to do: files of every kind, a time, weights, rules; runs that fail
on the way; and the command."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from support.made_fleets import (
    AT,
    FAULTY,
    GROUPS,
    OFFSETS,
    TABLES,
    TINY,
    Row,
    lines,
    make,
    options,
    parquet,
    read_table,
    write_history,
    write_lines,
)

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError
from equilag.pipeline.job import run_fleet
from equilag.pipeline.session import java_problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

SIXTH: Final = FAULTY.start_ms + 5 * FAULTY.every * 1000
"""The sixth of eight rounds."""
Run = dict[str, list[Row]]
"""The tables."""


def run_on(history: Path, out: Path, **how: Any) -> Run:
    run_fleet(options(history, out, weight="bytes", reset="earliest", **how))
    return {name: read_table(out, name) for name in TABLES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("past")
    make(made / "history", FAULTY)
    return made


@pytest.fixture(scope="module")
def past(spark: SparkSession, folder: Path) -> Run:
    """A run as of a time in the past, which spreads bytes."""
    return run_on(folder / "history", folder / "then", at=SIXTH)


@pytest.fixture(scope="module")
def cut(past: Run, folder: Path) -> Run:
    """The same over JSON lines of the history up to that time."""
    offsets, members = write_lines(folder / "history", folder / "lines", SIXTH)
    return run_on(folder / "history", folder / "cut", offsets=(offsets,), members=(members,))


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_json_lines_up_to_a_time_are_parquet_as_of_it(past: Run, cut: Run, table: str) -> None:
    if table in ("problems", "quality"):
        assert sum(row["after_at"] for row in cut[table]) == 0
        assert sum(row["after_at"] for row in past[table]) > FAULTY.partitions
    one, other = (
        sorted(repr({**row, "after_at": None}) for row in run[table]) for run in (past, cut)
    )
    assert one == other
    assert one


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    make(folder, TINY)
    return folder


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


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A good history; tests put something wrong in its place."""
    return write_history(tmp_path / "history")


@pytest.mark.spark
class TestRefused:
    def test_bytes_without_sizes(self, spark: SparkSession, run, history, tmp_path) -> None:
        rows = [{**row, "log_bytes": None} for row in OFFSETS]
        (history / "offsets" / "a.jsonl").write_text(lines(rows), "utf-8")
        argv = ["--history", history, "--out", tmp_path / "out", "--weight", "bytes"]
        status, out, err = run("fleet", *argv)
        assert (status, out) == (2, "")
        assert err == ("equilag: --weight: bytes needs the column log_bytes, which is empty\n")
        assert not (tmp_path / "out").exists()

    def test_a_parquet_file_that_is_rotten_inside(
        self, spark: SparkSession, run, history, tmp_path
    ) -> None:
        """Its footer, which is all that is checked beforehand, is fine."""
        path = parquet(history / "offsets" / "b.parquet")
        data = bytearray(path.read_bytes())
        data[4:600] = bytes(596)
        path.write_bytes(data)
        status, out, err = run("fleet", "--history", history, "--out", tmp_path / "out")
        assert (status, out) == (2, "")
        assert err.startswith("equilag: Spark failed: ")
        assert err.count("\n") == 1
        assert str(path) in err
        assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_a_run_in_a_process_of_its_own(spawn, run, history, tmp_path) -> None:
    """And the commands that read it."""
    if problem := java_problem():
        pytest.skip(problem)
    out = tmp_path / "out"
    (history / "offsets" / "b.jsonl").write_text(
        lines([{**OFFSETS[0], "log_end": -1}, {**OFFSETS[0], "group": "lost"}]), "utf-8"
    )
    (history / "racks").mkdir()
    racks = [{"ts_ms": AT, "topic": "orders", "partition": n, "racks": ["r"]} for n in range(6)]
    (history / "racks" / "a.jsonl").write_text(lines(racks), "utf-8")
    done = spawn("fleet", "--history", history, "--out", out, "--effort", "0.02", "--tasks", 2)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Rebalance 5 of 5 groups: ")
    assert "\n\nFleet of 6 groups by " in done.out
    assert "2026-11-21T09:00:00Z" in done.out
    assert "lost" in done.out
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["planned"]["groups"] == len(GROUPS)
    assert summary["failed"] == {"groups": 1, "by_kind": {"no_members": 1}}
    assert (out / "_SUCCESS").exists()
    shown = run("fleet", "show", out)
    assert (shown.status, shown.out, shown.err) == (0, done.out, "")
    (tmp_path / "one").mkdir()
    taken = run("fleet", "export", out, "audit trail", "--out", tmp_path / "one")
    assert (taken.status, taken.err) == (0, "")
    snapshot, plan = sorted((tmp_path / "one").iterdir(), key=lambda p: "plan" in p.name)
    assert load_snapshot(json.loads(snapshot.read_text("utf-8"))).racks == (("r",),) * 6
    assert run("verify", snapshot, plan).status == 0
