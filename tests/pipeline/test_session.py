"""The Spark session of a run: its start-up lines, its settings, and errors in one line."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest
from support.waiting import until

from equilag.domain.errors import SparkFailed
from equilag.pipeline import session


class FakeSession:
    """A session with settings and a number of cores."""

    def __init__(self, cores: int, settings: dict[str, str]) -> None:
        self.settings = settings
        self.sparkContext = SimpleNamespace(defaultParallelism=cores)
        self.conf = SimpleNamespace(
            get=settings.get, set=settings.__setitem__, unset=settings.__delitem__
        )


def during(cores: int, data_bytes: int, **given: str) -> dict[str, str]:
    """The settings inside the context; afterwards they are what they were."""
    spark: Any = FakeSession(cores, dict(given))
    inside: dict[str, str] = {}

    def fail() -> None:
        with session._settings(spark, data_bytes):
            inside.update(spark.settings)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert spark.settings == given
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
