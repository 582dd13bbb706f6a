"""The Spark session of a run: start-up lines, settings, errors in one line, and the stages."""

from __future__ import annotations

import os
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.waiting import until
from equilag.domain.errors import SparkFailed
from equilag.pipeline import session
from equilag.pipeline.session import Stages


def during(cores: int, data_bytes: int, **given: str) -> dict[str, str]:
    """The settings inside the context; afterwards they are what they were."""
    kept, inside = dict(given), dict[str, str]()
    conf = SimpleNamespace(get=kept.get, set=kept.__setitem__, unset=kept.__delitem__)
    spark: Any = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=cores), conf=conf)

    def fail() -> None:
        with session._settings(spark, data_bytes):
            inside.update(kept)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert kept == given
    return inside


def test_settings_are_restored_after_an_error() -> None:
    inside = during(4, 0, **{"spark.sql.ansi.enabled": "false", "spark.other": "1"})
    assert inside["spark.sql.ansi.enabled"] == "true"
    assert inside["spark.sql.session.timeZone"] == "UTC"
    assert inside["spark.other"] == "1"


@pytest.mark.parametrize(
    ("cores", "mib", "partitions"), [(4, 0, 8), (4, 24, 8), (4, 27, 9), (1, 10**6, 2_000)]
)
def test_the_number_of_shuffle_partitions(cores: int, mib: int, partitions: int) -> None:
    inside = during(cores, mib * 2**20)
    assert inside["spark.sql.shuffle.partitions"] == str(partitions)


def test_start_up_lines_are_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    with session._without_startup_lines():
        os.write(2, b"WARNING: Using incubator modules: jdk.incubator.vector\n")
        os.write(2, b'Setting default log level to "WARN".\nno space left\n')
    os.write(2, b"To adjust logging level use sc.setLogLevel\n")
    seen: list[str] = []

    def is_complete() -> bool:  # the lines pass through a thread
        seen.extend(capfd.readouterr().err.splitlines())
        return "no space left" in seen

    until(is_complete)
    assert sorted(seen) == ["To adjust logging level use sc.setLogLevel", "no space left"]


def test_errors_of_spark_are_one_line() -> None:
    pytest.importorskip("pyspark")
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    def raised(error: Exception) -> str:
        with pytest.raises(SparkFailed) as caught, session.spark_errors():
            raise error
        return str(caught.value)

    assert raised(PySparkException("\n 'no such table' \n at line 3")) == (
        "Spark failed: no such table"
    )
    assert raised(Py4JError("An error occurred\njava.io.IOException: full")) == (
        "Spark failed: java.io.IOException: full"
    )
    assert raised(Py4JError("gone")) == "Spark failed: gone"
    assert raised(PySparkException("")).startswith("Spark failed: ")
    assert len(raised(PySparkException("x" * 5_000))) == session.MAX_MESSAGE
    with pytest.raises(KeyError), session.spark_errors():
        raise KeyError


# Stages, with a Spark that the test controls.


SECONDS = 10.0
"""No report takes so long, even on a slow machine."""


def fake_spark(
    jobs: dict[int, tuple[int, ...]] | None = None, tasks: dict[int, tuple[int, int]] | None = None
) -> Any:
    """A session with jobs (job -> its stages) of the stage "solve", and tasks (stage -> completed
    ones and all)."""
    jobs, tasks = jobs or {}, tasks or {}

    def stage_info(stage: int) -> Any:
        names = "numCompletedTasks", "numTasks"
        known = tasks.get(stage)
        return known and SimpleNamespace(**dict(zip(names, known, strict=True)))

    tracker = SimpleNamespace(
        getJobIdsForGroup=lambda group: [*jobs] if group == "equilag solve" else [],
        getJobInfo=lambda job: SimpleNamespace(stageIds=jobs[job]) if jobs[job] else None,
        getStageInfo=stage_info,
    )
    context = SimpleNamespace(setJobGroup=lambda *_: None, statusTracker=lambda: tracker)
    return SimpleNamespace(sparkContext=context)


def reports(spark: Any, wanted: int) -> list[tuple[str, int, int]]:
    """The first `wanted` reports of a stage that runs until they have arrived."""
    seen: list[tuple[str, int, int]] = []
    enough = threading.Event()

    def watcher(name: str, done: int, total: int) -> None:
        seen.append((name, done, total))
        if len(seen) >= wanted:
            enough.set()

    with Stages(spark, watcher).stage("solve"):
        assert enough.wait(SECONDS)
    return seen[:wanted]


def test_tasks_are_added_up_over_jobs_and_stages() -> None:
    forgotten = 12
    stages = {1: (10, 11, forgotten), 2: (20,), 3: ()}
    spark = fake_spark(stages, {10: (4, 4), 11: (1, 8), 20: (2, 3)})
    assert reports(spark, 2) == [("solve", 0, 0), ("solve", 7, 15)]


def test_a_failing_tracker_does_not_fail_the_stage() -> None:
    spark = fake_spark({1: (10,)})
    spark.sparkContext.statusTracker().getJobInfo = lambda job: {}[job]
    assert reports(spark, 1) == [("solve", 0, 0)]


def test_seconds_are_added_up_by_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 2.0, 10.0, 11.5, 20.0, 24.0])
    stages = Stages(fake_spark())
    monkeypatch.setattr("equilag.pipeline.session.time.monotonic", lambda: next(times))
    for name in ("signals", "solve"):
        with stages.stage(name):
            pass
    with pytest.raises(KeyError), stages.stage("solve"):
        raise KeyError
    assert stages.seconds == {"signals": 2.0, "solve": 5.5}
