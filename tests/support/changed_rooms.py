"""Prints the test paths for what changed since a commit, for `make test-changed`.

Usage: python tests/support/changed_rooms.py BASE

Tests mirror the package, so a change in a room asks for that room's tests. Every other room rests
on `domain`, so a change in it asks for all tests.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
ALWAYS: Final = ("tests/test_architecture.py", "tests/test_house.py")
ALL: Final = ("tests",)
INTEGRATION: Final = {
    "adapters": "tests/integration/broker",
    "live": "tests/integration/broker",
    "pipeline": "tests/integration/spark",
}
"""Room -> tests of it that are in no folder of its name."""
DOCUMENTS: Final = ("tests/test_docs.py", "tests/test_contributing.py")


def changed_files(base: str) -> list[str]:
    """Paths of files that differ from where this branch left `base`, those not committed too."""
    start = _git("merge-base", base, "HEAD")[0]
    return sorted({
        *_git("diff", "--name-only", "--no-renames", start),
        *_git("ls-files", "--others", "--exclude-standard"),
    })  # fmt: skip


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def paths_for_file(file: str) -> tuple[str, ...]:
    """The paths of tests that a change of `file` asks for."""
    top, *below = Path(file).parts
    match top, below:
        case "equilag", [room, _, *_] if room != "domain":
            return f"tests/{room}", *([INTEGRATION[room]] if room in INTEGRATION else [])
        case "tests", ["integration", kind, *_]:
            return (f"tests/integration/{kind}",)
        case "tests", [room, _, *_] if room not in ("support", "conformance"):
            return (f"tests/{room}",)
        case "tests", [name] if name.startswith("test_"):
            return (file,)
        case "benchmarks", _:
            return ("tests/benchmarks",)
        case "broker-plugin", _:
            return ("tests/integration/broker_plugin",)
        case "packaging" | "Dockerfile", _:
            return ("tests/test_packaging.py",)
        case "docs", _:
            return DOCUMENTS
        case _, [] if file.endswith(".md"):
            return DOCUMENTS
    return ALL


def paths_for(files: Iterable[str], root: Path) -> list[str]:
    """The paths of tests for all `files`; a folder without tests asks for all of them."""
    chosen = {path for file in files for path in paths_for_file(file)}
    # A deleted module of tests asks for nothing.
    chosen = {path for path in chosen if (root / path).exists() or not path.endswith(".py")}
    if any(path in ALL or not (root / path).exists() for path in chosen):
        return list(ALL)
    return sorted({*ALWAYS, *chosen})


if __name__ == "__main__":
    sys.stdout.write(" ".join(paths_for(changed_files(sys.argv[1]), CHECKOUT)) + "\n")
