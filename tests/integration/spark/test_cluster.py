"""The job on a standalone cluster: as docs/fleet.md says, and with a worker that is killed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq
import pytest
from support.paths import CHECKOUT
from support.spark_standalone import Standalone, environment, standalone
from support.waiting import until

from benchmarks.fleet.history import write_history
from benchmarks.fleet.settings import HistorySettings
from equilag.cli import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.long]

GUIDE: Final = CHECKOUT / "docs" / "fleet.md"
MARK: Final = "<!-- tests/integration/spark/test_cluster.py runs this -->"
TABLES: Final = ("plans", "assignment", "baseline", "quality", "failures", "signals")
SECONDS: Final = {"wall_s", "task_s", "wall_ms"}
"""Columns that no two runs share."""
PATIENCE: Final = 240.0


def guide_lines() -> str:
    """The shell lines of the guide."""
    found = re.search(re.escape(MARK) + r"\s*```sh\n(.*?)```", GUIDE.read_text("utf-8"), re.S)
    assert found, "the guide has lost its lines"
    return found[1]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    write_history(
        folder / "history",
        HistorySettings(groups=48, partitions=1_500, samples=6, every=60, seed=5, faults=True),
    )
    return folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Standalone]:
    with standalone(tmp_path_factory.mktemp("standalone")) as running:
        yield running


@pytest.fixture(scope="module")
def local(history: Path, spark: SparkSession) -> dict[str, Any]:
    """What the embedded session makes of the same history."""
    out = history / "local"
    assert main(["fleet", "--history", str(history / "history"), "--out", str(out), "--json"]) == 0
    return tables(out)


def tables(run: Path) -> dict[str, Any]:
    """Every table of a run as sorted rows, but for the seconds."""
    assert (run / "_SUCCESS").exists()
    result = {}
    for name in TABLES:
        table = pq.read_table(run / name)
        table = table.select([c for c in table.column_names if c not in SECONDS])
        result[name] = sorted(map(repr, table.to_pylist()))
    return result


def submit(history: Path, cluster: Standalone, out: str) -> subprocess.Popen[str]:
    """The guide's lines, at the places of this test."""
    lines = guide_lines().replace("spark://spark-master:7077", cluster.url)
    lines = lines.replace("/mnt/shared/run-1", str(history / out))
    lines = lines.replace("/mnt/shared", str(history))
    assert "/mnt" not in lines
    return subprocess.Popen(
        ["bash", "-euc", lines],
        cwd=cluster.folder,
        env=environment(cluster.folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_guide_s_lines_give_what_the_embedded_session_gives(
    history: Path, cluster: Standalone, local: dict[str, Any]
) -> None:
    job = submit(history, cluster, "submitted")
    stdout, stderr = job.communicate(timeout=PATIENCE)
    assert job.returncode == 0, stderr
    assert "48 groups" in stdout
    assert tables(history / "submitted") == local


def test_a_worker_killed_in_the_middle_costs_no_group(
    history: Path, cluster: Standalone, local: dict[str, Any]
) -> None:
    job = submit(history, cluster, "bereft")
    solving = history / "bereft" / "_work" / "solved"

    def has_begun() -> bool:
        assert job.poll() is None, job.communicate()[1]
        return bool(list(solving.glob("_temporary/*/*")))

    until(has_begun, PATIENCE)
    cluster.kill_worker(0)
    _, stderr = job.communicate(timeout=PATIENCE)
    assert job.returncode == 0, stderr
    assert tables(history / "bereft") == local
