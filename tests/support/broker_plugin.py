"""The jar of `broker-plugin/`, built with Maven, and brokers that have it."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from support.kafka_broker import CACHE, Broker, NoBroker, fetch_jars, running_brokers
from support.paths import CHECKOUT

from benchmarks.toolchains import failure, java_missing, make_once

SOURCES: Final = CHECKOUT / "broker-plugin"
CLASS: Final = "equilag.broker.EquilagAssignor"
JAR: Final = "equilag-broker-plugin.jar"
KEY: Final = "only brokers and carriers know it"
SETTINGS: Final = {
    "group.consumer.assignors": f"uniform,range,{CLASS}",
    "equilag.plan.key": KEY,
    "group.consumer.assignment.interval.ms": "0",  # from 4.3 on: each plan is looked at
}
_BUILD_S: Final = 170


def build(out: Path, *options: str) -> Path:
    """The jar, built into the folder `out`; a skip where there is neither Java nor Maven."""
    problem = java_missing() or (None if shutil.which("mvn") else "Maven is not on PATH")
    if problem:
        pytest.skip(f"no broker plug-in: {problem}")
    command = ["mvn", "-B", "-C", "-f", str(SOURCES / "pom.xml"), f"-Dout={out}", *options]
    problem = failure("Maven", "build the broker plug-in", [*command, "package"], SOURCES, _BUILD_S)
    assert problem is None, problem
    return out / JAR


def plugin_jar() -> Path:
    """The jar without its tests, built once for each version of the sources."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file() and "test" not in path.parts:
            digest.update(path.read_bytes())
    built = CACHE.parent / "broker-plugin" / digest.hexdigest()[:16]
    make_once(built, lambda folder: shutil.copy(build(folder / "out", "-Dmaven.test.skip"), folder))
    return built / JAR


def plugged_brokers(
    stack: ExitStack, folder: Path, number: int = 1, version: str = ""
) -> list[Broker]:
    """A cluster of this version of Kafka with the plug-in, until the stack is closed."""
    lib = folder / "lib"
    lib.mkdir()
    try:
        for jar in (*fetch_jars(version).iterdir(), plugin_jar()):
            (lib / jar.name).symlink_to(jar)
    except NoBroker as error:
        pytest.skip(str(error))
    return running_brokers(stack, folder, number, SETTINGS, lib)
