"""Build the runners of assignors in Java and Go, once for each version of their sources.

They are built into `.cache/bench-peers/` of the checkout, with the Maven repository and the Go
module proxy that are configured on this machine.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Final

from benchmarks.toolchains import failure, java_missing, make_once, maven

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = HERE.parent.parent / ".cache" / "bench-peers"

_BUILD_S: Final = 900
"""Seconds for a build, which may have to download all dependencies."""
# The heap has its full size from the start, so that no call waits for it to grow.
_JVM: Final = ("-Xms4g", "-Xmx4g")
_MAIN: Final = "equilag.bench.Runner"


class NoRunner(Exception):
    """A runner cannot be built or started; its assignors are skipped for this reason."""


def java_runner(cache: Path = CACHE) -> tuple[str, ...]:
    """Return the command of the Java runner, which is built if necessary. Raises NoRunner."""
    if problem := java_missing():
        raise NoRunner(problem)
    sources = HERE / "java"
    built = cache / f"java-{_digest(sources)}"

    def build(folder: Path) -> None:
        if shutil.which("mvn") is None:
            raise NoRunner("Maven is not on PATH, and the Java runner was not built before")
        command = maven(sources / "pom.xml", folder / "lib", f"-Dout={folder}", "compile")
        _run(command, sources, "Maven")

    make_once(built, build)
    return ("java", *_JVM, "-cp", f"{built / 'classes'}:{built / 'lib'}/*", _MAIN)


def go_runner(cache: Path = CACHE) -> tuple[str, ...]:
    """Return the command of the Go runner, which is built if necessary. Raises NoRunner."""
    sources = HERE / "go"
    built = cache / f"go-{_digest(sources)}"

    def build(folder: Path) -> None:
        if shutil.which("go") is None:
            raise NoRunner("Go is not on PATH, and the Go runner was not built before")
        command = ["go", "build", "-buildvcs=false", "-trimpath", "-o", str(folder / "runner"), "."]
        _run(command, sources, "Go")

    make_once(built, build)
    return (str(built / "runner"),)


def _run(command: list[str], folder: Path, tool: str) -> None:
    if problem := failure(tool, "build the runner", command, folder, _BUILD_S):
        raise NoRunner(problem)


def _digest(sources: Path) -> str:
    """Return a digest of the names and contents of all files under the folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in sources.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(sources)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
