"""A standalone Spark cluster on loopback for tests: a master and workers as processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from support.waiting import until

PATIENCE: Final = 60.0
SHORT: Final = "-XX:TieredStopAtLevel=1"
"""For a JVM that is over before better code would pay."""


@dataclass(slots=True)
class Standalone:
    url: str
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_worker(self, number: int) -> None:
        """kill -9 of one worker, as a machine that goes."""
        self.workers[number].send_signal(signal.SIGKILL)
        self.workers[number].wait()


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[Standalone]:
    """A running cluster of workers with one core each; all of it ends by pid."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        master = _spark_class(
            folder / "master.log",
            "org.apache.spark.deploy.master.Master",
            *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"),
        )
        started.append(master)
        url = _wait_for(folder / "master.log", r"Starting Spark master at (spark://\S+)", master)
        cluster = Standalone(url, folder)
        for number in range(workers):
            worker = _spark_class(
                folder / f"worker-{number}.log",
                "org.apache.spark.deploy.worker.Worker",
                *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"),
                *("--cores", "1", "--memory", "1g", "-d", str(folder / f"worker-{number}"), url),
            )
            started.append(worker)
            cluster.workers.append(worker)
        for number, worker in enumerate(cluster.workers):
            _wait_for(
                folder / f"worker-{number}.log", r"(Successfully registered with master)", worker
            )
        yield cluster
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
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


def _spark_class(log: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    env = environment(log.parent)
    with log.open("wb") as output:
        return subprocess.Popen(
            [f"{env['SPARK_HOME']}/bin/spark-class", name, *arguments],
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _wait_for(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    def found() -> re.Match[str] | None:
        return re.search(pattern, log.read_text("utf-8", "replace"))

    with suppress(AssertionError):
        until(lambda: found() or process.poll() is not None, PATIENCE)
    if (line := found()) is not None:
        return line[1]
    raise RuntimeError(f"no {pattern!r} in {log.name}: {log.read_text('utf-8', 'replace')[-2000:]}")
