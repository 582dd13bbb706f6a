"""What all tests share: how hard Hypothesis searches, one Kafka and one Spark for those in need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, settings
from support.kafka_broker import running_broker

from benchmarks.kafka_broker import Broker, missing
from equilag.domain.errors import EquilagError
from equilag.pipeline.session import check_spark, java_problem, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Options of commands come from nowhere but the tests.
for _name in [name for name in os.environ if name.startswith("EQUILAG_")]:
    del os.environ[_name]
os.environ["EQUILAG_CONFIG"] = os.devnull

SHARED: Final = ("spark", "broker", "browser")
"""Names of markers and of fixtures: what is started once and serves many tests."""

# A busy machine is no reason to fail: no deadline for an example, none for making one.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25)
# In CI the same examples in every run, so that nobody's change fails for what another one left
# behind.
_BASE = (
    settings(_PATIENT, derandomize=True, database=None, print_blob=True)
    if os.environ.get("CI")
    else _PATIENT
)
settings.register_profile("usual", _BASE)
# For `make test-long`, by pytest's option --hypothesis-profile.
settings.register_profile("long", _BASE, max_examples=200)
settings.load_profile("usual")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that share a server on one worker, by `--dist loadgroup`."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        needed = [name for name in SHARED if item.get_closest_marker(name) or name in fixtures]
        if needed and item.config.pluginmanager.hasplugin("xdist"):
            item.add_marker(pytest.mark.xdist_group(needed[0]))
        if "broker" in needed:
            # A consumer of kafka-python that is dropped leaves its sockets to the collector of
            # garbage, which may warn of them while another test runs.
            ignored = "ignore::pytest.PytestUnraisableExceptionWarning"
            item.add_marker(pytest.mark.filterwarnings(ignored))


def pytest_report_header() -> list[str]:
    """What this machine leaves out, said before anything runs."""
    lines = []
    if problem := java_problem():
        lines.append(f"Left out: all tests on Spark ({problem}).")
    if problem := missing():
        lines.append(f"Left out: all tests on a Kafka broker ({problem}).")
    return lines


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A running Kafka, one for each process of pytest: tests take topics and groups of their own.

    Whoever uses it carries `pytest.mark.broker`.
    """
    yield from running_broker(tmp_path_factory.mktemp("kafka"))


JVM: Final = (
    "-XX:+UseSerialGC -Xmn512m -XX:ReservedCodeCacheSize=256m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Options for a JVM that mostly loads classes, and collects little."""
QUICK_QUERIES: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Tests compute little and once, so that planning and compiling a query takes longer than computing
it. Runs in processes of their own do both."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One embedded Spark session, one for each process of pytest; a run finds and uses it.

    Whoever uses it carries `pytest.mark.spark`.
    """
    try:
        check_spark()
    except EquilagError as error:
        pytest.skip(f"no Spark here: {error}")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.default.parallelism=1 pyspark-shell")
        patch.setattr("equilag.pipeline.session.LEAN", JVM)
        started = stack.enter_context(session("local[2]", memory="2g"))
        patch.undo()
        for name, value in QUICK_QUERIES.items():
            started.conf.set(name, value)
        yield started
