"""Plugin of pytest for mutation runs: at most 25 Hypothesis examples per test, and timings."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import settings

MAX_EXAMPLES = 25
# A file that gets one JSON line [node id, seconds, outcome] per test.
TIMINGS = "EQUILAG_MUTATION_TIMINGS"
# Hypothesis keeps a test's settings here; there is no public way to lower them afterwards.
_SETTINGS = "_hypothesis_internal_use_settings"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lower the number of examples where a test asks for more."""
    for item in items:
        function = getattr(item, "obj", None)
        function = getattr(function, "__func__", function)
        own = getattr(function, _SETTINGS, None)
        if own is not None:
            examples = min(MAX_EXAMPLES, own.max_examples)
            lowered = settings(own, max_examples=examples, derandomize=True, database=None)
            setattr(function, _SETTINGS, lowered)


class Timings:
    """Writes how long each test took, with its setup, and whether it passed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase; the last one writes the line."""
        name = report.nodeid
        self._seconds[name] = self._seconds.get(name, 0.0) + report.duration
        if report.failed:
            self._failed.add(name)
        if report.when == "teardown":
            outcome = "failed" if name in self._failed else "passed"
            line = json.dumps([name, round(self._seconds[name], 4), outcome])
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Write timings where the environment asks for them, in one process only."""
    path = os.environ.get(TIMINGS)
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Timings(Path(path)))
