"""Tools of other languages: what is made with them once, and why where it cannot be made."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

_JAVA: Final = 17
_QUOTED: Final = 300


def java_missing() -> str | None:
    """Why there can be no JVM here, or None if there can."""
    return None if _java_version() >= _JAVA else f"Java {_JAVA} or newer is not on PATH"


def maven(pom: Path, jars: Path, *before: str) -> list[str]:
    """The command that copies what a project runs with into the folder `jars`, after `before`."""
    command = ["mvn", "-B", "-q", "-f", str(pom), *before, "dependency:copy-dependencies"]
    return [*command, "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]


def failure(tool: str, aim: str, command: Sequence[str], folder: Path, limit: int) -> str | None:
    """Run a command in `folder` for at most `limit` seconds. Returns why it did not reach its aim,
    or None if it did."""
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
    said = " ".join(lines[:2])[:_QUOTED] or "it says nothing"
    return f"{tool} cannot {aim}: {said}"


def make_once(place: Path, make: Callable[[Path], None]) -> None:
    """Have `make` fill the folder, unless that was done before. If it raises, nothing is left."""
    if place.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="making-") as folder:
        made = Path(folder) / place.name
        made.mkdir()
        make(made)
        # Two processes may be at it at once: the second finds the place taken by an equal folder.
        with suppress(OSError):
            made.rename(place)


def _java_version() -> int:
    """Of the `java` on PATH, or 0."""
    try:
        done = subprocess.run(["java", "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(rb'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found and not done.returncode else 0
