"""The jar of `broker-plugin/`, built with Maven, and brokers that have it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Final

import pytest
from support.kafka_broker import CACHE, fetch_jars
from support.paths import CHECKOUT

from benchmarks.toolchains import failure, java_missing, make_once

SOURCES: Final = CHECKOUT / "broker-plugin"
CLASS: Final = "equilag.broker.EquilagAssignor"
JAR: Final = "equilag-broker-plugin.jar"
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


def lib_with_plugin(folder: Path, version: str = "") -> Path:
    """Fill the folder with the jars of this version of Kafka, and the plug-in's."""
    folder.mkdir()
    for jar in (*fetch_jars(version).iterdir(), plugin_jar()):
        (folder / jar.name).symlink_to(jar)
    return folder
