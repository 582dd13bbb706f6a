"""Times commands of two checkouts in alternating pairs: the median of the ratios, min and max.

    python -m benchmarks.same_results.pairs BEFORE AFTER [--pairs 10] [--python PYTHON]

BEFORE and AFTER are checkouts (what PYTHONPATH has to hold). A ratio is the time of AFTER by the
time of BEFORE in one pair; every other pair runs AFTER first, as the second run may be warmer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMALL = str(ROOT / "samples" / "slow-member.snapshot.json")
SAMPLE = str(ROOT / "samples" / "token-indexer.snapshot.json")
COUNTED = ["--effort", "0.1", "--time-limit", "60", "--seed", "7"]


def large_group() -> str:
    """A snapshot of 1,000 partitions and 25 members, always the same."""
    lags = random.Random(7)
    topics = {f"topic-{number}": 50 for number in range(20)}
    document = {
        "format": "equilag/snapshot/1",
        "group": "large",
        "topics": topics,
        "subscriptions": {"all": list(topics)},
        "members": [{"id": f"member-{n:02}", "subscription": "all"} for n in range(25)],
        "lags": {name: [lags.randrange(100_000) for _ in range(50)] for name in topics},
    }
    return json.dumps(document)


def seconds(command: list[str], checkout: str, folder: str) -> float:
    """How long the command took; away from any checkout, so that PYTHONPATH decides."""
    surroundings = {**os.environ, "PYTHONPATH": checkout}
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, env=surroundings, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    sides = [str(arguments.before.resolve()), str(arguments.after.resolve())]
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder, "large.json")
        large.write_text(large_group())
        equilag = [arguments.python, "-m", "equilag"]
        commands = {
            "import equilag": [arguments.python, "-c", "import equilag"],
            "--help": [*equilag, "--help"],
            "plan, small": [*equilag, "plan", SMALL, *COUNTED, "--json"],
            "plan, sample": [*equilag, "plan", SAMPLE, *COUNTED, "--json"],
            "plan, large": [*equilag, "plan", str(large), *COUNTED, "--json"],
            "compare, sample": [*equilag, "compare", SAMPLE, *COUNTED, "--json"],
        }
        for name, command in commands.items():
            for side in sides:  # not counted: they write the compiled files
                seconds(command, side, folder)
            ratios = []
            for pair in range(arguments.pairs):
                order = (0, 1) if pair % 2 == 0 else (1, 0)
                took = {side: seconds(command, sides[side], folder) for side in order}
                ratios.append(took[1] / took[0])
            middle = statistics.median(ratios)
            print(f"{name:16} {middle:.3f}  ({min(ratios):.3f} to {max(ratios):.3f})")  # noqa: T201


if __name__ == "__main__":
    main()
