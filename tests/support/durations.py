"""A pytest plugin: records how long each test took, and lists those that got slow.

`.cache/durations.json` has the seconds of each test's last run, setup and teardown included. The
list never fails a run: a busy machine is slow, too.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

FILE: Final = Path(".cache") / "durations.json"
SLOW_S: Final = 5.0
"""A test that takes longer is listed, except for those on Spark and on a broker."""
SHARED: Final = ("tests/integration/",)
LISTED: Final = 10


def slow_lines(before: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """The tests that got slow, slowest first: by half and by a second, or beyond SLOW_S."""
    lines = []
    for test, seconds in sorted(now.items(), key=lambda item: -item[1]):
        old = before.get(test)
        if old is not None and seconds > 1.5 * old and seconds > old + 1:
            lines.append(f"{seconds:6.1f} s, before {old:.1f} s  {test}")
        elif seconds > SLOW_S and not test.startswith(SHARED):
            lines.append(f"{seconds:6.1f} s  {test}")
    more = len(lines) - LISTED
    return [*lines[:LISTED], f"and {more} more"] if more > 0 else lines


class Durations:
    """Seconds by test, from reports of all workers."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._now: Counter[str] = Counter()
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("@")[0]  # what follows is the group of pytest-xdist
        self._now[name] += report.duration  # type: ignore[assignment]
        if report.failed:
            self._failed.add(name)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        try:
            before = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            before = {}
        now = {name: s for name, s in self._now.items() if name not in self._failed}
        if lines := slow_lines(before, now):
            terminalreporter.section("slow tests (a report, not a check)")
            terminalreporter.write("".join(f"{line}\n" for line in lines))
        rounded = {name: round(seconds, 3) for name, seconds in now.items()}
        self._file.parent.mkdir(exist_ok=True)
        written = self._file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(before | rounded, indent=0, sort_keys=True), "utf-8")
        written.replace(self._file)


def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ and not config.option.collectonly:
        config.pluginmanager.register(Durations(config.rootpath / FILE))
