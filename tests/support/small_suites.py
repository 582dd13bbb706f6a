"""Small suites of tests for the tests of our pytest plugins, each run by a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from support.paths import CHECKOUT


def make_suite(folder: Path, *markers: str, more: str = "") -> Path:
    """A folder for a suite, with the plugins `grouping` and `limits`, and markers."""
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers -p xdist -p support.grouping -p support.limits"
        " -p no:cacheprovider\n"
        f"{more}\nmarkers =\n" + "".join(f"    {marker}\n" for marker in markers),
        "utf-8",
    )
    return folder


def run_suite(suite: Path, *options: str, under: Sequence[str] = ()) -> tuple[int, str]:
    """The status of pytest on the suite, and what it printed; `under` is a command to run it by."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV_", "COVERAGE_"))
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than the tests
    done = subprocess.run(
        [
            *under,
            sys.executable,
            "-m",
            "pytest",
            "-v",
            f"--basetemp={suite / 'temporary'}",
            *options,
        ],
        cwd=suite,
        env=environment | {"PYTHONPATH": str(CHECKOUT / "tests")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
