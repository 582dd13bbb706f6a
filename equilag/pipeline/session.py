"""The Spark session: an embedded one that is quiet and small, or the one that is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from equilag.errors import InputError, MissingExtra, SparkFailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GREETINGS: Final = (
    b"WARNING: Using incubator modules",
    b"Setting default log level to",
    b"To adjust logging level use",
)
"""What the JVM and Spark say at every start, before any setting of theirs can keep them from it."""
JAVA: Final = 17
"""The oldest Java that this Spark runs on."""
LOG_CONFIG: Final = Path(__file__).with_name("log4j2.properties")


def check_spark() -> None:
    """Raise MissingExtra without PySpark's packages, InputError without a Java new enough."""
    for package in ("pyspark", "pyarrow", "pandas"):
        if find_spec(package) is None:
            raise MissingExtra(f"fleets need the package {package}: pip install 'equilag[spark]'")
    problem = java_problem()
    if problem is not None and not _is_submitted():
        raise InputError(problem)


def java_problem() -> str | None:
    """What is wrong with the Java that Spark would start, if anything."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    where = "in JAVA_HOME" if home else "on PATH"
    due = f"Spark needs Java {JAVA} or newer"
    if java is None:
        return f"{due}, and there is no java {where}"
    try:
        ran = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{due}, and the java {where} does not run"
    found = re.search(r'version "(?:1\.)?(\d+)', ran.stderr + ran.stdout)
    if found is None:
        return f"{due}, and the java {where} does not tell its version"
    version = int(found[1])
    return None if version >= JAVA else f"{due}, and the java {where} is version {version}"


def _is_submitted() -> bool:
    """Was this process started by spark-submit, so that there is a JVM with settings already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


@contextmanager
def session(
    master: str | None = None, memory: str = "4g", data_bytes: int = 0
) -> Iterator[SparkSession]:
    """The session of a run, stopped at its end if it was started for it.

    `master` is Spark's URL of a cluster; without one all cores of this machine are used.
    `data_bytes` is how much there is to be read, about.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    # Not the active session: that belongs to a thread, and not every thread of its owner has one.
    if SparkContext._active_spark_context is not None:
        there = SparkSession.Builder().getOrCreate()
        with _settings(there, data_bytes):
            yield there
        return
    spark = _start(master, memory, small=data_bytes < SMALL)
    try:
        with _settings(spark, data_bytes):
            yield spark
    finally:
        # A signal in the middle of a call leaves the JVM's next answer unreadable; it ends anyway.
        with suppress(Exception):
            spark.stop()


def _start(master: str | None, memory: str, small: bool) -> SparkSession:
    from pyspark.sql import SparkSession

    # The workers must run what the driver runs; a cluster whose Python is elsewhere says so itself.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.Builder().appName("equilag fleet")
    if _is_submitted():
        return builder.getOrCreate()
    if master is None or master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config(
            "spark.driver.host", "127.0.0.1"
        )
    quiet = f"-Dlog4j2.configurationFile=file:{LOG_CONFIG} -XX:+UseSerialGC"
    if small:
        quiet += " -XX:TieredStopAtLevel=1"  # over before better code would pay
    builder = (
        builder.master(master or "local[*]")
        .config("spark.driver.memory", memory)
        .config("spark.driver.extraJavaOptions", quiet)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    with spark_errors(), _without_greetings():
        return builder.getOrCreate()


@contextmanager
def _without_greetings() -> Iterator[None]:
    """Whatever is started inside says on standard error what it has to say, but for GREETINGS."""
    reading, writing = os.pipe()
    stderr = os.dup(2)

    def forward() -> None:
        with os.fdopen(reading, "rb") as lines, os.fdopen(stderr, "wb", buffering=0) as out:
            for line in lines:
                if not line.startswith(GREETINGS):
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


@contextmanager
def spark_errors() -> Iterator[None]:
    """What Spark raises inside, as SparkFailed in one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # Py4J's first line only says that there was an error; the next one is Java's.
        if isinstance(error, Py4JError) and len(lines) > 1:
            lines = lines[1:]
        said = lines[0].strip("': ") if lines else repr(error)
        raise SparkFailed(f"Spark failed: {said}"[:1000]) from error


SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # A task's problems come to Python in small batches: a nested row can hold 100,000 partitions.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    "spark.sql.ansi.enabled": "true",
}


SMALL: Final = 100 * 2**20
PER_SHUFFLE_PARTITION: Final = 6 * 2**20
MOST_SHUFFLE_PARTITIONS: Final = 2_000
"""Bytes of compressed parquet, and what becomes of them."""


@contextmanager
def _settings(spark: SparkSession, data_bytes: int) -> Iterator[None]:
    """What the queries rely on, put back afterwards where the session is somebody else's."""
    parts = max(2 * spark.sparkContext.defaultParallelism, data_bytes // PER_SHUFFLE_PARTITION)
    settings = {
        **SETTINGS,
        "spark.sql.shuffle.partitions": str(min(MOST_SHUFFLE_PARTITIONS, parts)),
    }
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)
