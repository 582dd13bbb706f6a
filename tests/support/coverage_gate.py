"""Coverage of each room, from coverage's data; exits with 1 if a room is below its gate.

Usage: python tests/support/coverage_gate.py
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from coverage import Coverage

CHECKOUT: Final = Path(__file__).resolve().parents[2]
TOP: Final = "equilag"
"""The modules at the top of the package."""
CORE: Final = {"certificate": 95.0, "domain": 95.0, "planner": 95.0, "solver": 95.0}
"""What a plan rests on: room -> percent of its lines and branches that tests must run."""
OTHERS: Final = 90.0
ON_JAVA: Final = frozenset({"adapters", "cli", "live", "pipeline"})
"""Rooms whose tests on Spark or a Kafka broker are left out without Java 17 (and Maven)."""


def rooms() -> list[str]:
    return [TOP, *sorted(path.parent.name for path in CHECKOUT.glob("equilag/*/__init__.py"))]


def modules_of(room: str) -> str:
    """The pattern of a room's modules, as coverage takes it."""
    return f"{TOP}/*.py" if room == TOP else f"{TOP}/{room}/**"


def judge(percent_of: Callable[[str], float], left_out: str | None = None) -> dict[str, str]:
    """Room -> what is shown of it: its coverage, and whether that is below its gate.

    `left_out` is why tests on Java were left out, if they were; the gates of `ON_JAVA` are not
    checked then.
    """
    found = {}
    for room in rooms():
        percent, gate = percent_of(room), CORE.get(room, OTHERS)
        found[room] = f"{percent:6.2f} % of {gate:.0f}"
        if left_out is not None and room in ON_JAVA:
            found[room] += f"  not checked: {left_out}"
        elif percent < gate:
            found[room] += "  below its gate"
    return found


def main() -> int:
    # This script's own folder is the first on its path, and not that of the tests.
    sys.path[:0] = [str(CHECKOUT / "tests"), str(CHECKOUT)]
    from support.kafka_broker import missing

    from equilag.pipeline.session import java_problem

    data = Coverage()
    data.load()
    data.set_option("report:sort", "-miss")

    def percent_of(room: str) -> float:
        return data.report(include=[modules_of(room)], file=io.StringIO())

    found = judge(percent_of, java_problem() or missing())
    sys.stdout.writelines(f"{room:<12} {text}\n" for room, text in found.items())
    below = [modules_of(room) for room, text in found.items() if text.endswith("gate")]
    if below:
        data.report(include=below, skip_covered=True, show_missing=True)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
