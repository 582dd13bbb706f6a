"""Coverage by room, from coverage's JSON report; exits with 1 if a room is below its gate.

Usage: python tests/support/coverage_gate.py REPORT
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

TOP: Final = "equilag"
"""The modules at the top of the package."""
CORE: Final = {"certificate": 95.0, "domain": 95.0, "planner": 95.0, "solver": 95.0}
"""What a plan rests on: room -> percent of its lines and branches that tests must run."""
OTHERS: Final = 90.0
ON_JAVA: Final = frozenset({"adapters", "cli", "live", "pipeline"})
"""Rooms whose tests on Spark or a Kafka broker are left out without Java 17 (and Maven)."""
WORST: Final = 5
"""Files that are named of a room below its gate: enough to start with."""


@dataclass(slots=True)
class Count:
    """Lines and branches: how many tests ran, of how many."""

    covered: int = 0
    all: int = 0

    def add(self, other: Count) -> None:
        self.covered += other.covered
        self.all += other.all

    @property
    def missing(self) -> int:
        return self.all - self.covered

    @property
    def percent(self) -> float:
        """Rounded down, so that 94.99 is not shown as 95.0."""
        return 1000 * self.covered // self.all / 10 if self.all else 100.0


def room_of(file: str) -> str:
    """The room of a file that is named from above the package."""
    below = PurePath(file).parts[1:]
    return below[0] if len(below) > 1 else TOP


def gate_of(room: str) -> float:
    return CORE.get(room, OTHERS)


def counts_of(report: Mapping[str, Any]) -> dict[str, dict[str, Count]]:
    """Room -> file -> its count."""
    rooms: dict[str, dict[str, Count]] = {}
    for file, entry in sorted(report["files"].items()):
        told = entry["summary"]
        count = Count(
            told["covered_lines"] + told["covered_branches"],
            told["num_statements"] + told["num_branches"],
        )
        rooms.setdefault(room_of(file), {})[file] = count
    return rooms


def judge(report: Mapping[str, Any], left_out: str | None = None) -> tuple[list[str], bool]:
    """The lines of the table, and True if every room reaches its gate.

    `left_out` is why tests on Java were left out, if they were; the gates of `ON_JAVA` are not
    checked then.
    """
    lines = [f"{'room':<12} {'lines and branches':>18} {'covered':>8} {'gate':>6}"]
    whole, good = Count(), True
    for room, files in sorted(counts_of(report).items()):
        count = Count()
        for one in files.values():
            count.add(one)
        whole.add(count)
        checked = left_out is None or room not in ON_JAVA
        below = checked and count.percent < gate_of(room)
        good = good and not below
        gate = f"{gate_of(room):.0f} %" if checked else "-"
        remark = "  below its gate" if below else ""
        lines.append(f"{room:<12} {count.all:>18,} {count.percent:>6.1f} % {gate:>6}{remark}")
        if below:
            worst = sorted(files.items(), key=lambda item: -item[1].missing)[:WORST]
            lines += [f"    {name}: {one.missing} not run" for name, one in worst if one.missing]
    lines.append(f"{'all':<12} {whole.all:>18,} {whole.percent:>6.1f} %")
    if left_out is not None:
        lines.append(f"Gates of {', '.join(sorted(ON_JAVA))} left out: {left_out}.")
    return lines, good


def left_out() -> str | None:
    """Why this machine leaves out tests on Java, if it does."""
    # Here, as this script's own folder is the first on its path, and not that of the tests.
    sys.path[:0] = [str(Path(__file__).resolve().parents[level]) for level in (1, 2)]
    from support.kafka_broker import missing

    from equilag.pipeline.session import java_problem

    return java_problem() or missing()


def main() -> int:
    report = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    lines, good = judge(report, left_out())
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
