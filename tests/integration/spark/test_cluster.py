"""The job on a standalone cluster: as docs/fleet.md says, and with a worker that is killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from support.made_fleets import TABLES, Row, read_table
from support.paths import CHECKOUT

from benchmarks.fleet.history import write_history
from benchmarks.fleet.settings import HistorySettings
from benchmarks.waiting import until
from equilag.cli import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.long]

GUIDE: Final = CHECKOUT / "docs" / "fleet.md"
MARK: Final = "<!-- tests/integration/spark/test_cluster.py runs this -->"
PATIENCE: Final = 240.0
START_S: Final = 60.0
"""For a master or a worker to start."""
SHORT: Final = "-XX:TieredStopAtLevel=1"
"""For a JVM that is over before better code would pay."""


class Standalone(NamedTuple):
    url: str
    folder: Path
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Standalone]:
    """A running cluster of two workers with one core each; all of it ends by pid."""
    folder = tmp_path_factory.mktemp("standalone")
    with ExitStack() as stack:
        log = folder / "master.log"
        _, url = started(stack, log, "master.Master", r"Starting Spark master at (spark://\S+)")
        workers = []
        for number in range(2):
            log, own = folder / f"worker-{number}.log", str(folder / f"worker-{number}")
            more = ("--cores", "1", "--memory", "1g", "-d", own, url)
            registered = r"(Successfully registered with master)"
            workers.append(started(stack, log, "worker.Worker", registered, *more)[0])
        yield Standalone(url, folder, workers)


def started(
    stack: ExitStack, log: Path, name: str, pattern: str, *more: str
) -> tuple[subprocess.Popen[bytes], str]:
    """A part of Spark, and what its log has of the pattern, which is waited for."""
    env = environment(log.parent)
    words = [f"{env['SPARK_HOME']}/bin/spark-class", f"org.apache.spark.deploy.{name}"]
    words += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *more]
    with log.open("wb") as output:
        process = subprocess.Popen(words, env=env, stdout=output, stderr=subprocess.STDOUT)
    stack.callback(end, process)

    def found() -> re.Match[str] | None:
        return re.search(pattern, log.read_text("utf-8", "replace"))

    until(lambda: found() or process.poll() is not None, START_S)
    line = found()
    assert line is not None, log.read_text("utf-8", "replace")[-2000:]
    return process, line[1]


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def environment(conf: Path) -> dict[str, str]:
    """What Spark's own commands need to run from this Python's environment; settings in `conf`."""
    import pyspark

    bin_folder = str(Path(sys.executable).parent)
    (conf / "spark-defaults.conf").write_text(f"spark.executor.extraJavaOptions {SHORT}\n")
    return {
        **os.environ,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(conf),
        "SPARK_SUBMIT_OPTS": SHORT,
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
    }


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
def local(history: Path, spark: SparkSession) -> dict[str, list[Row]]:
    """What the embedded session makes of the same history."""
    out = history / "local"
    assert main(["fleet", "--history", str(history / "history"), "--out", str(out), "--json"]) == 0
    return tables(out)


def tables(run: Path) -> dict[str, list[Row]]:
    assert (run / "_SUCCESS").exists()
    return {name: read_table(run, name) for name in TABLES}


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
    history: Path, cluster: Standalone, local: dict[str, list[Row]]
) -> None:
    job = submit(history, cluster, "submitted")
    stdout, stderr = job.communicate(timeout=PATIENCE)
    assert job.returncode == 0, stderr
    assert "48 groups" in stdout
    assert tables(history / "submitted") == local


def test_a_worker_killed_in_the_middle_costs_no_group(
    history: Path, cluster: Standalone, local: dict[str, list[Row]]
) -> None:
    job = submit(history, cluster, "bereft")
    solving = history / "bereft" / "_work" / "solved"

    def has_begun() -> bool:
        assert job.poll() is None, job.communicate()[1]
        return bool(list(solving.glob("_temporary/*/*")))

    until(has_begun, PATIENCE)
    cluster.workers[0].kill()  # as a machine that goes
    cluster.workers[0].wait()
    _, stderr = job.communicate(timeout=PATIENCE)
    assert job.returncode == 0, stderr
    assert tables(history / "bereft") == local
