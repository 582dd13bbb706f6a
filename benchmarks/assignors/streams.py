"""Speeds that change step by step: how much of what is read changes hands.

The autoscaler of Landau and others (arXiv 2402.06085) packs 200 partitions, whose speeds from 0 to
100 change by up to δ in each of 500 steps, into consumers that read 100 each. The R-score of a step
is the speed of the partitions that change hands, over 100. equilag plans with as many members as
their modified worst fit has on average: nobody short where that is possible, then the least moved
weight, which is the rate.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.columns import Index, Ints
from equilag.domain.group.group import Group
from equilag.planner.solve import solve

PARTITIONS: Final = 200
FASTEST: Final = 100
"""The largest speed, and what a consumer reads."""
SHORT: Final = 25
FULL: Final = 500
"""Steps."""
EFFORT: Final = 0.05
"""Seconds of work for a plan."""
DELTAS: Final = (10, 15, 20, 5, 25)
"""Those with published figures last, as a page shows the last rows."""
PUBLISHED: Final = {5: (24.2, 9.2, 112.2), 25: (26.4, 15.0, 113.5)}
"""By δ: the R-scores of best fit decreasing, which packs anew, and of modified worst fit; the
consumers of the latter. Means over 500 steps from speeds drawn alike."""
MEMBERS: Final = {5: 112, 10: 112, 15: 113, 20: 113, 25: 114}
"""Consumers of modified worst fit, rounded; those between the published ones in proportion."""
HEAD: Final = (
    "δ", "members", "R-score", "best fit decreasing", "modified worst fit",
    "moves", "short, %", "ms a plan",
)  # fmt: skip


def group_at(speed: Ints, owner: Index | None, members: int) -> Group:
    """The group with these speeds [PARTITIONS] and owners; None for none."""
    every: list[dict[str, Any]] = [
        {"id": f"c{number:03}", "subscription": ["t"], "capacity": FASTEST}
        for number in range(members)
    ]
    if owner is not None:
        for number, member in enumerate(every):
            member["owned"] = {"t": np.flatnonzero(owner == number).tolist()}
    topics, rates = {"t": PARTITIONS}, {"t": speed.tolist()}
    return load_snapshot(
        {"format": "equilag/snapshot/1", "group": "streams", "topics": topics,
         "members": every, "rates": rates}
    )  # fmt: skip


def measure(steps: int, deltas: Sequence[int] = DELTAS) -> list[dict[str, Any]]:
    """One row for each δ, over so many steps."""
    return [_row(delta, steps) for delta in deltas]


def _row(delta: int, steps: int) -> dict[str, Any]:
    rng, members = np.random.default_rng(delta), MEMBERS[delta]
    speed = rng.integers(0, FASTEST + 1, PARTITIONS)
    owner: Index | None = None
    scores, moves, short, total, seconds = [], [], 0, 0, 0.0
    for _ in range(steps + 1):
        group = group_at(speed, owner, members)
        start = time.process_time()
        plan = solve(
            group, "fair-yet-sticky", balance="none", weight="rate", move_weight="rate",
            effort=EFFORT, time_limit=60.0,
        )  # fmt: skip
        seconds += time.process_time() - start
        if owner is not None:
            moved = plan.assigned != owner
            scores.append(int(speed[moved].sum()) / FASTEST)
            moves.append(int(np.count_nonzero(moved)))
            read = np.bincount(plan.assigned, speed, members)
            short += int(np.maximum(read - FASTEST, 0).sum())
            total += int(speed.sum())
        owner = plan.assigned
        change = rng.integers(-delta, delta + 1, PARTITIONS)
        speed = np.clip(speed + change, 0, FASTEST)
    return {
        "delta": delta,
        "members": members,
        "steps": steps,
        "r_score": float(np.mean(scores)),
        "moves": float(np.mean(moves)),
        "short_percent": 100.0 * short / total,
        "cpu_ms": 1e3 * seconds / (steps + 1),
    }


def rows(found: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The rows of a table under `HEAD`."""
    return [
        [
            str(row["delta"]),
            str(row["members"]),
            f"{row['r_score']:.1f}",
            *(f"{score:.1f}" for score in PUBLISHED.get(row["delta"], ())[:2]),
            *["" for _ in range(2 if row["delta"] not in PUBLISHED else 0)],
            f"{row['moves']:.0f}",
            f"{row['short_percent']:.3f}",
            f"{row['cpu_ms']:.0f}",
        ]
        for row in found
    ]
