"""Names the tests that got slow: seconds of each file in the last run beside those that are kept.

Usage: python tests/support/durations.py [--keep]

A busy machine takes longer for all of them, so seconds are divided by the usual ratio.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Final
from xml.etree import ElementTree

CHECKOUT: Final = Path(__file__).resolve().parents[2]
LAST: Final = CHECKOUT / ".cache" / "tests.xml"
KEPT: Final = CHECKOUT / "tests" / "durations.json"
LEAST_S: Final = 1.0
"""Seconds of a file from which on its ratio counts: below, it is mostly chance."""
TIMES: Final = 1.5
MORE_S: Final = 3.0
"""A file got slow if it takes so many times as long, and so many seconds more."""

Durations = Mapping[str, Mapping[str, float]]
"""Module -> test -> seconds."""


def durations(report: Path) -> Durations:
    """Those of a report in JUnit's format."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for case in ElementTree.parse(report).iter("testcase"):
        found[case.attrib["classname"]][case.attrib["name"]] = float(case.attrib["time"])
    return found


def sums(now: Durations) -> dict[str, float]:
    return {module: round(sum(tests.values()), 1) for module, tests in sorted(now.items())}


def slower(now: Durations, kept: Mapping[str, float]) -> list[str]:
    """A line for each module that got slow, or is new and slow, with its slowest test."""
    seconds = sums(now)
    ratios = [seconds[one] / kept[one] for one in seconds if kept.get(one, 0) >= LEAST_S]
    pace = median(ratios or [1.0])
    lines = []
    for module, tests in now.items():
        took, usual = seconds[module] / pace, kept.get(module, 0.0)
        if took > max(TIMES * usual, usual + MORE_S):
            slowest = max(tests, key=lambda test: tests[test])
            lines.append(f"{module}: {took:.1f} s, usually {usual:.1f} s; most in {slowest}")
    return sorted(lines)


def main() -> int:
    if not LAST.exists():
        sys.stderr.write(f"{LAST} is missing: a run of the tests writes it at its end\n")
        return 1
    now = durations(LAST)
    if sys.argv[1:] == ["--keep"]:
        KEPT.write_text(json.dumps(sums(now), indent=1) + "\n", "utf-8")
        return 0
    lines = slower(now, json.loads(KEPT.read_text("utf-8")))
    sys.stdout.writelines(f"Slower than it was: {line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
