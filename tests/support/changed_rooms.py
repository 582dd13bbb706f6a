"""Prints the test paths for what changed since a commit, for `make test-changed`.

Usage: python tests/support/changed_rooms.py BASE

Tests mirror the package, so a change in a room asks for that room's tests. Every other room rests
on `domain`, so a change in it asks for all tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
ALWAYS: Final = ("tests/test_architecture.py", "tests/test_house.py")
ASKED_FOR: Final = (
    (r"equilag/(adapters|live)/.+", r"tests/\1 tests/integration/broker"),
    (r"equilag/pipeline/.+", "tests/pipeline tests/integration/spark"),
    (r"equilag/(?!domain/)(\w+)/.+", r"tests/\1"),
    (r"tests/(integration/\w+|(?!support|conformance|integration)\w+)/.+", r"tests/\1"),
    (r"(tests/test_\w+\.py)", r"\1"),
    (r"benchmarks/.+", "tests/benchmarks"),
    (r"broker-plugin/.+", "tests/integration/broker_plugin"),
    (r"packaging/.+|Dockerfile", "tests/test_packaging.py"),
    (r"docs/.+|\w+\.md", "tests/test_docs.py tests/test_contributing.py"),
    (r".+", "tests"),
)
"""Changed files, and the tests of the first line that they match."""


def paths_for(files: Iterable[str]) -> list[str]:
    """The paths of tests for all `files`; a folder without tests asks for all of them."""
    chosen = set(ALWAYS)
    for file in files:
        found = next(filter(None, (re.fullmatch(one, file) for one, _ in ASKED_FOR)))
        chosen |= set(found.expand(dict(ASKED_FOR)[found.re.pattern]).split())
    # A deleted module of tests asks for nothing.
    chosen = {path for path in chosen if (CHECKOUT / path).exists() or not path.endswith(".py")}
    everything = "tests" in chosen or not all((CHECKOUT / path).exists() for path in chosen)
    return ["tests"] if everything else sorted(chosen)


if __name__ == "__main__":

    def git(words: str) -> list[str]:
        return subprocess.check_output(["git", *words.split()], cwd=CHECKOUT, text=True).split("\n")

    start = git(f"merge-base {sys.argv[1]} HEAD")[0]
    changed = git(f"diff --name-only --no-renames {start}")
    changed += git("ls-files --others --exclude-standard")  # not committed yet
    sys.stdout.write(" ".join(paths_for(filter(None, changed))) + "\n")
