"""`equilag fleet` on a real Spark: what only Spark finds out, and a whole run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from support.made_fleets import AT, GROUPS, OFFSETS, lines, parquet, write_history

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.pipeline.session import java_problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    assert "\n\nFleet of 6 groups at 2026-11-21T09:00:00Z\n" in done.out
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
