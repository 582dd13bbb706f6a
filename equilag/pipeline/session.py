"""The Spark session of a run: a small and quiet embedded one, or the one that exists already."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from equilag.domain.errors import InputError, MissingExtra, SparkFailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


STARTUP_LINES: Final = (
    b"WARNING: Using incubator modules",
    b"Setting default log level to",
    b"To adjust logging level use",
)
"""Beginnings of lines that the JVM and Spark print at every start, whatever the log settings."""
JAVA: Final = 17
"""The oldest Java that Spark 4 runs on."""
MAX_MESSAGE: Final = 1_000
"""Characters of an error message; Spark's can contain a whole query plan."""
LEAN: Final = (
    "-XX:+UseSerialGC -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=25 -XX:-ShrinkHeapInSteps"
)
"""Options of the JVM: after a full collection its heap is at most a third larger than what is in
use, so that it leaves memory to the Python workers."""
SORTING: Final = "0.15"
"""Part of the heap that sorts and joins may fill before they spill to disk, 0.6 GiB by default: a
larger one made no run faster, and stays beside the Python workers."""
LOG_CONFIG: Final = Path(__file__).with_name("log4j2.properties")


def check_spark() -> None:
    """Raise MissingExtra without PySpark's packages, InputError without a recent enough Java."""
    for package in ("pyspark", "pyarrow", "pandas"):
        if find_spec(package) is None:
            raise MissingExtra(f"fleets need the package {package}: pip install 'equilag[spark]'")
    problem = java_problem()
    if problem is not None and not _is_submitted():
        raise InputError(problem)


def java_problem() -> str | None:
    """Return what is wrong with the Java that Spark would start, or None."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    where = "in JAVA_HOME" if home else "on PATH"
    required = f"Spark needs Java {JAVA} or newer"
    if java is None:
        return f"{required}; there is no java {where}"
    try:
        ran = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{required}; the java {where} does not run"
    found = re.search(r'version "(?:1\.)?(\d+)', ran.stderr + ran.stdout)
    if found is None:
        return f"{required}; the java {where} does not print its version"
    version = int(found[1])
    return None if version >= JAVA else f"{required}; the java {where} is version {version}"


def _is_submitted() -> bool:
    """Return True if spark-submit started this process; then a JVM with its settings exists."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


@contextmanager
def session(
    master: str | None = None, memory: str = "4g", data_bytes: int = 0
) -> Iterator[SparkSession]:
    """Yield the session of a run, and stop it at the end if it was started here.

    `master` is Spark's URL of a cluster; without one, all cores of this machine are used.
    `data_bytes` is the approximate size of the input.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    # The context and not the active session, which is set only for some threads of its owner.
    if SparkContext._active_spark_context is not None:
        existing = SparkSession.Builder().getOrCreate()
        with _settings(existing, data_bytes):
            yield existing
        return
    spark = _start(master, memory, small=data_bytes < SMALL)
    try:
        with _settings(spark, data_bytes):
            yield spark
    finally:
        with suppress(Exception):  # as in `_settings`; the JVM ends anyway
            spark.stop()


def _start(master: str | None, memory: str, small: bool) -> SparkSession:
    from pyspark.sql import SparkSession

    # Workers must run the driver's Python; a cluster with another path sets the variable itself.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.Builder().appName("equilag fleet")
    if _is_submitted():
        return builder.getOrCreate()
    if master is None or master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config(
            "spark.driver.host", "127.0.0.1"
        )
    quiet = f"-Dlog4j2.configurationFile=file:{LOG_CONFIG} {LEAN}"
    if small:
        quiet += " -XX:TieredStopAtLevel=1"  # a short run ends before optimised code would pay off
    builder = (
        builder.master(master or "local[*]")
        .config("spark.driver.memory", memory)
        .config("spark.memory.fraction", SORTING)
        .config("spark.driver.extraJavaOptions", quiet)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    with spark_errors(), _without_startup_lines():
        return builder.getOrCreate()


@contextmanager
def _without_startup_lines() -> Iterator[None]:
    """Filter STARTUP_LINES out of what processes started inside write to standard error."""
    reading, writing = os.pipe()
    stderr = os.dup(2)

    def forward() -> None:
        with os.fdopen(reading, "rb") as lines, os.fdopen(stderr, "wb", buffering=0) as out:
            for line in lines:
                if not line.startswith(STARTUP_LINES):
                    out.write(line)

    threading.Thread(target=forward, daemon=True).start()
    before = os.dup(2)
    os.dup2(writing, 2)
    os.close(writing)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def return_memory(spark: SparkSession) -> None:
    """Have the driver's JVM return unused heap to the system: others need it to solve."""
    if spark._jvm is not None:
        spark._jvm.System.gc()


@contextmanager
def spark_errors() -> Iterator[None]:
    """Turn what Spark raises inside into SparkFailed with a one-line message."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # The first line of Py4J only states that a call failed; the second is Java's message.
        if isinstance(error, Py4JError) and len(lines) > 1:
            lines = lines[1:]
        message = lines[0].strip("': ") if lines else repr(error)
        raise SparkFailed(f"Spark failed: {message}"[:MAX_MESSAGE]) from error


SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # Problems come to Python in small batches, since a row can hold 100,000 partitions.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    "spark.sql.ansi.enabled": "true",
    # Otherwise Spark merges shuffle partitions up to 64 MiB, which take ten times that in a sort.
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "8m",
}
"""Spark settings that the queries rely on."""


SMALL: Final = 100 * 2**20
"""Bytes of compressed parquet below which a run is too short for the JVM's optimising compiler."""
BYTES_PER_SHUFFLE_PARTITION: Final = 3 * 2**20
"""Bytes of compressed parquet per shuffle partition: they are some 50 times as many when a task
sorts them in memory."""
MAX_SHUFFLE_PARTITIONS: Final = 2_000
"""Most shuffle partitions of a run, since Spark spends some milliseconds to schedule each."""


@contextmanager
def _settings(spark: SparkSession, data_bytes: int) -> Iterator[None]:
    """Apply SETTINGS and the number of shuffle partitions; restore the old values at exit."""
    cores = spark.sparkContext.defaultParallelism
    parts = max(2 * cores, data_bytes // BYTES_PER_SHUFFLE_PARTITION)
    settings = {**SETTINGS, "spark.sql.shuffle.partitions": str(min(MAX_SHUFFLE_PARTITIONS, parts))}
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        # A signal during a call leaves the JVM's next reply unreadable.
        with suppress(Exception):
            for key, old in before.items():
                if old is None:
                    spark.conf.unset(key)
                else:
                    spark.conf.set(key, old)


PERIOD: Final = 0.3
"""Seconds between two reports: a few per second are enough for a person to see progress."""

Watcher = Callable[[str, int, int], None]
"""Called with a stage's name, its finished tasks and all its tasks (0 and 0: not known yet)."""


@dataclass(slots=True)
class Stages:
    """Runs the stages of a job one after the other and measures the seconds of each."""

    spark: SparkSession
    watcher: Watcher | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the Spark jobs inside this context as one stage."""
        context = self.spark.sparkContext
        group = f"equilag {name}"
        context.setJobGroup(group, name)
        done = threading.Event()
        thread = threading.Thread(target=self._watch, args=(name, group, done), daemon=True)
        start = time.monotonic()
        if self.watcher is not None:
            self.watcher(name, 0, 0)
            thread.start()
        try:
            yield
        finally:
            done.set()
            if self.watcher is not None:
                thread.join()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start

    def _watch(self, name: str, group: str, done: threading.Event) -> None:
        tracker = self.spark.sparkContext.statusTracker()
        while not done.wait(PERIOD):
            finished = total = 0
            with suppress(Exception):  # a failing progress display must not fail the run
                for job in tracker.getJobIdsForGroup(group):
                    info = tracker.getJobInfo(job)
                    for stage_id in info.stageIds if info is not None else ():
                        stage = tracker.getStageInfo(stage_id)
                        if stage is not None:
                            finished += stage.numCompletedTasks
                            total += stage.numTasks
                if self.watcher is not None:
                    self.watcher(name, finished, total)
