"""Large groups whose topics count one by one: overruns of short limits, and how even loads get."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.assignors.case import Case
from equilag.certificate.verify import verify
from equilag.domain.group.group import Group, Ints
from equilag.domain.plan.plan import Plan
from equilag.planner.solve import solve

LIMITS: Final = (0.2, 1.0)
"""Seconds, whose overruns are measured."""
EVEN_LIMIT: Final = 2.0
"""Seconds in which loads are evened out."""
SHORT: Final = 3
FULL: Final = 5
"""Runs of every group, balance and limit of `LIMITS`."""
BALANCES: Final = ("per-topic", "both")

HEAD: Final = ("group", "balance", "limit", "overrun", "spread less bound", "counts")


class Shape(NamedTuple):
    """Members with so many subscriptions, each to two of as many parts of the topics."""

    members: int
    topics: int
    partitions: int
    """Of each topic."""
    classes: int
    """Member m has subscription m mod classes; 1 for all topics."""

    def __str__(self) -> str:
        size = f"{self.members:,} members, {self.topics:,} topics of {self.partitions}"
        return f"{size}, {self.classes} subscription{'s' * (self.classes > 1)}"

    def draw(self, seed: int) -> Case:
        """The group with owners at random and lognormal lags, none above the mean load."""
        rng = np.random.default_rng([seed, *self])
        part = np.arange(self.topics) % self.classes
        reads = tuple(
            tuple(np.flatnonzero((part == k) | (part == (k + 1) % self.classes)).tolist())
            for k in range(self.classes)
        )
        of_partition = np.repeat(part, self.partitions)
        size = len(of_partition)
        owner_class = (of_partition - rng.integers(0, 2, size)) % self.classes
        owner = rng.integers(0, self.members // self.classes, size) * self.classes + owner_class
        lag: Ints = rng.lognormal(6, 0.7, size).astype(np.int64)
        return Case(
            f"topics/{self}", "topics", tuple(f"m{m:05}" for m in range(self.members)),
            tuple(f"t{t:05}" for t in range(self.topics)), (self.partitions,) * self.topics, reads,
            (np.arange(self.members) % self.classes).astype(np.int32), owner.astype(np.int32), lag,
        )  # fmt: skip


WIDE: Final = tuple(Shape(5_000, 5_000, size, k) for size in (1, 4) for k in (1, 5))
"""As many topics as members, where tables of both would be largest beside the partitions."""
EVEN: Final = tuple(Shape(10_000, 1_000, 200, k) for k in (1, 4))
"""Groups whose loads can be made even."""


def measure(
    times: int, wide: Sequence[Shape] = WIDE, even: Sequence[Shape] = EVEN
) -> list[dict[str, Any]]:
    """One row for each run; the first call in the process is not among them."""
    rows: list[dict[str, Any]] = []
    solve(Shape(10, 10, 2, 1).draw(0).group(), balance="both", time_limit=0.5)
    for shapes, limits, runs in ((wide, LIMITS, times), (even, (EVEN_LIMIT,), 1)):
        for shape in shapes:
            case = shape.draw(1)
            rows += [
                _row(shape, case, balance, limit)
                for balance in BALANCES
                for limit in limits
                for _ in range(runs)
            ]
    return rows


def _row(shape: Shape, case: Case, balance: str, limit: float) -> dict[str, Any]:
    group: Group = case.group()
    start = time.monotonic()
    plan = solve(group, "kip-169", balance=balance, tolerance=0, time_limit=limit)
    wall = time.monotonic() - start
    return {
        "group": str(shape),
        "balance": balance,
        "limit_s": limit,
        "overrun_ms": 1000.0 * (wall - limit),
        "gap_percent": _gap_percent(plan),
        "even": limit == EVEN_LIMIT,
        "exact": plan.status != "fallback" and not verify(group, plan),
    }


def _gap_percent(plan: Plan) -> float:
    """The spread beyond its bound, in percent of the mean load."""
    return 100.0 * (plan.lag.spread - plan.proofs.spread) / max(plan.lag.mean, 1.0)


def rows(found: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The table of a report, with the columns of `HEAD`."""
    return [
        (
            row["group"],
            row["balance"],
            f"{row['limit_s']:g} s",
            f"{row['overrun_ms']:+.0f} ms",
            f"{row['gap_percent']:.3g} %" if row["even"] else "",
            "exact" if row["exact"] else "**not exact**",
        )
        for row in found
    ]
