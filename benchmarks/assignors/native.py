"""The runners of assignors in Java and Go: built once for each state of their sources.

They are built into `.cache/bench-peers/` of the checkout, with whatever Maven repository and Go
module proxy this machine is set up for.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = HERE.parent.parent / ".cache" / "bench-peers"

_JAVA: Final = 17
_BUILD_S: Final = 900
# All memory from the start, so that no call waits for the heap to grow.
_JVM: Final = ("-Xms4g", "-Xmx4g")
_MAIN: Final = "equilag.bench.Runner"
_FOUND: Final = 300


class NoRunner(Exception):
    """A runner cannot be had here, and why: a reason to skip its assignors."""


def java_runner(cache: Path = CACHE) -> tuple[str, ...]:
    """The command of the Java runner, built if need be. Raises NoRunner."""
    if _java_version() < _JAVA:
        raise NoRunner(f"Java {_JAVA} or newer is not on PATH")
    sources = HERE / "java"
    built = cache / f"java-{_digest(sources)}"

    def build(folder: Path) -> None:
        if shutil.which("mvn") is None:
            raise NoRunner("Maven is not on PATH, and the Java runner was not built before")
        command = ["mvn", "-B", "-q", "-f", str(sources / "pom.xml"), f"-Dout={folder}"]
        command += ["compile", "dependency:copy-dependencies", "-DincludeScope=runtime"]
        command += [f"-DoutputDirectory={folder / 'lib'}"]
        _run(command, sources, "Maven")

    _build_once(built, build)
    return ("java", *_JVM, "-cp", f"{built / 'classes'}:{built / 'lib'}/*", _MAIN)


def go_runner(cache: Path = CACHE) -> tuple[str, ...]:
    """The command of the Go runner, built if need be. Raises NoRunner."""
    sources = HERE / "go"
    built = cache / f"go-{_digest(sources)}"

    def build(folder: Path) -> None:
        if shutil.which("go") is None:
            raise NoRunner("Go is not on PATH, and the Go runner was not built before")
        command = ["go", "build", "-buildvcs=false", "-trimpath", "-o", str(folder / "runner"), "."]
        _run(command, sources, "Go")

    _build_once(built, build)
    return (str(built / "runner"),)


def _build_once(built: Path, build: Callable[[Path], None]) -> None:
    """Have `build` fill the folder, unless that was done before."""
    if built.is_dir():
        return
    built.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=built.parent, prefix="building-") as folder:
        made = Path(folder) / built.name
        made.mkdir()
        build(made)
        # Two processes may build at once: the second finds the place taken by an equal runner.
        with suppress(OSError):
            made.rename(built)


def _run(command: list[str], folder: Path, tool: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=_BUILD_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NoRunner(f"{tool} did not build the runner within {_BUILD_S} s") from error
    except OSError as error:
        raise NoRunner(f"{tool} cannot be run: {error}") from error
    if done.returncode:
        text = (done.stdout + done.stderr).decode(errors="replace")
        lines = [line for line in text.splitlines() if "ERROR" in line] or text.splitlines()
        said = " ".join(lines[:2])[:_FOUND] or "it says nothing"
        raise NoRunner(f"{tool} cannot build the runner: {said}")


def _digest(sources: Path) -> str:
    """Of all files under the folder, names included."""
    digest = hashlib.sha256()
    for path in sorted(path for path in sources.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(sources)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _java_version() -> int:
    """Of the `java` on PATH, or 0."""
    if shutil.which("java") is None:
        return 0
    try:
        said = subprocess.run(["java", "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(rb'version "(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else 0
