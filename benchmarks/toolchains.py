"""Build tools of other languages: build artefacts once, or report why that is not possible."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

_JAVA: Final = 17
"""The oldest Java on which Spark 4 and the group coordinator of Kafka 4 run."""
_MAX_QUOTED: Final = 300
"""Characters of a tool's output that are quoted in a one-line reason."""


def java_missing() -> str | None:
    """Return why no JVM can be started, or None if one can."""
    return None if _java_version() >= _JAVA else f"Java {_JAVA} or newer is not on PATH"


def maven(pom: Path, jars: Path, *before: str) -> list[str]:
    """Return the command that runs the goals `before` and then copies dependencies to `jars`."""
    command = ["mvn", "-B", "-q", "-f", str(pom), *before, "dependency:copy-dependencies"]
    return [*command, "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]


def failure(tool: str, aim: str, command: Sequence[str], folder: Path, limit: int) -> str | None:
    """Run a command in `folder` for at most `limit` seconds. Return why it failed, or None."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"{tool} did not {aim} within {limit} s"
    except OSError as error:
        return f"{tool} cannot be run: {error}"
    if not done.returncode:
        return None
    text = (done.stdout + done.stderr).decode(errors="replace")
    lines = [line for line in text.splitlines() if "ERROR" in line] or text.splitlines()
    message = " ".join(lines[:2])[:_MAX_QUOTED] or "no output"
    return f"{tool} cannot {aim}: {message}"


def make_once(place: Path, make: Callable[[Path], None]) -> None:
    """Let `make` fill the folder `place` unless it exists. If `make` raises, nothing is left."""
    if place.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="making-") as folder:
        made = Path(folder) / place.name
        made.mkdir()
        make(made)
        # Two processes may do this at once; the second then finds an equal folder in place.
        with suppress(OSError):
            made.rename(place)


def _java_version() -> int:
    """Return the version of the `java` on PATH, or 0."""
    try:
        done = subprocess.run(["java", "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(rb'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and not done.returncode else 0
