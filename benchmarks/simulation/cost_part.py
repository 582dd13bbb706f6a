"""The part `cost`: CPU time of a large plan by work against one by lag.

    python -m benchmarks.simulation.cost_part

prints the CPU seconds of one process, which makes both plans in turn.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from typing import Any, Final

import numpy as np

import equilag
from equilag.domain.group.group import Group

MEMBERS: Final = 10_000
PARTITIONS: Final = 500_000
TOPICS: Final = 1_000
PROCESSES: Final = 3
PAIRS: Final = 5
"""Of plans in each process, after one of each that is not counted."""
EFFORT: Final = 0.2
"""Counted seconds of search: as much for both."""
LIMIT_S: Final = 120.0
KINDS: Final = ("lag", "work")


def measure() -> dict[str, Any]:
    """Return the median CPU seconds of each kind, and the median ratio of the pairs."""
    command = [sys.executable, "-m", "benchmarks.simulation.cost_part"]
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(PROCESSES):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        for kind, seconds in json.loads(done.stdout).items():
            found[kind] += seconds
    return {
        "members": MEMBERS,
        "partitions": PARTITIONS,
        "pairs": PROCESSES * PAIRS,
        "lag_s": statistics.median(found["lag"]),
        "work_s": statistics.median(found["work"]),
        "ratio": statistics.median(
            work / lag for lag, work in zip(found["lag"], found["work"], strict=True)
        ),
    }


def large_group() -> Group:
    """One subscription, lognormal rates and lags, no owners.

    The lags are so large that most are different, as work is: to sort equal numbers is faster.
    """
    rng = np.random.default_rng(0)
    ids = [f"member-{number:05d}" for number in range(MEMBERS)]
    topics = {f"topic-{number:04d}": PARTITIONS // TOPICS for number in range(TOPICS)}
    names = list(topics)
    return Group.build(
        name="large",
        topics=topics,
        members=ids,
        subscriptions=dict.fromkeys(ids, names),
        lags=rng.lognormal(11.0, 2.0, PARTITIONS).astype(np.int64),
        rates=rng.lognormal(0.0, 1.0, PARTITIONS),
    )


def pairs() -> dict[str, list[float]]:
    group = large_group()
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(PAIRS + 1):
        for kind in KINDS if number % 2 else reversed(KINDS):
            began = time.process_time()
            equilag.solve(group, weight=kind, effort=EFFORT, time_limit=LIMIT_S)
            if number:
                found[kind].append(time.process_time() - began)
    return found


if __name__ == "__main__":
    print(json.dumps(pairs()))  # noqa: T201
