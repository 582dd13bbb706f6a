"""The jar of `broker-plugin/`, built with Maven, and the jars of a broker that has it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Final

from benchmarks.kafka_broker import CACHE, CHECKOUT, NoBroker, fetch_jars
from benchmarks.toolchains import failure, java_missing, make_once

SOURCES: Final = CHECKOUT / "broker-plugin"
CLASS: Final = "equilag.broker.EquilagAssignor"
JAR: Final = "equilag-broker-plugin.jar"
ASSIGNORS: Final = {"group.consumer.assignors": f"uniform,range,{CLASS}"}
"""The setting of such a broker."""
KEY: Final = "only brokers and carriers know it"
WITH_KEY: Final = {
    **ASSIGNORS,
    "equilag.plan.key": KEY,
    "group.consumer.assignment.interval.ms": "0",  # from 4.3 on: each plan is looked at
}
"""Settings of brokers that take plans with this key, and at once."""
_BUILD_S: Final = 170


def key_file(folder: Path) -> str:
    """A file with the key of the brokers with the plug-in."""
    file = folder / "key"
    file.write_text(KEY, "utf-8")
    return str(file)


def build(out: Path, *options: str) -> Path:
    """The jar, built into the folder `out`. Raises NoBroker."""
    command = ["mvn", "-B", "-C", "-f", str(SOURCES / "pom.xml"), f"-Dout={out}", *options]
    problem = java_missing() or (None if shutil.which("mvn") else "Maven is not on PATH")
    problem = problem or failure(
        "Maven", "build the broker plug-in", [*command, "package"], SOURCES, _BUILD_S
    )
    if problem is not None:
        raise NoBroker(problem)
    return out / JAR


def plugin_jar() -> Path:
    """The jar without its tests, built once for each version of the sources. Raises NoBroker."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file() and "test" not in path.parts:
            digest.update(path.read_bytes())
    built = CACHE.parent / "broker-plugin" / digest.hexdigest()[:16]

    def make(folder: Path) -> None:
        shutil.copy(build(folder / "out", "-Dmaven.test.skip"), folder)

    make_once(built, make)
    return built / JAR


def plugged_jars(lib: Path, version: str = "") -> Path:
    """Fill the folder `lib` with the jars of this version of Kafka and the plug-in, and return it.
    Raises NoBroker."""
    lib.mkdir(parents=True)
    for jar in (*fetch_jars(version).iterdir(), plugin_jar()):
        (lib / jar.name).symlink_to(jar)
    return lib
