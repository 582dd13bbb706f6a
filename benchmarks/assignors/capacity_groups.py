"""Groups whose members differ in speed: counts, reads across racks and moves of a large one, and
the proved gap of loads per unit of capacity.

No other assignor knows capacities, so equilag is alone. `tests/planner/test_extended_groups.py`
holds counts, reads and moves of small groups with every field to an independent flow.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.assignors import shapes
from benchmarks.assignors.case import Assignment, Case, Racks
from benchmarks.assignors.lags import lags
from benchmarks.assignors.rack_groups import RACKS
from equilag.certificate.verify import verify
from equilag.domain.plan.plan import Plan
from equilag.planner.solve import solve

CAPACITIES: Final = 4
"""Members have capacities 1 to 4, at random."""
LARGEST: Final = (10_000, 500_000)
"""Members and partitions of the group that is timed, with 100 topics."""
TOPICS: Final = 100
KAFKA: Final = (10_000, 100_000)
"""Members and partitions, of 10 topics, of the largest group with published times of `uniform2`, an
assignor in work for Kafka's brokers, whose four goals equilag has, too."""
PUBLISHED: Final = "goals of uniform2 (17.7 ms in full, 46.2 from owners)"
"""Its authors' JMH, Temurin 21, on a machine of theirs; without a proof to check."""
CALLS: Final = 5
"""Calls of which the median time is reported, each on a group that was not planned before."""
PATIENCE: Final = 60.0
"""Seconds for a call that is timed; it needs far less."""
LIMIT: Final = 2.0
"""Seconds for even loads."""
SIZES: Final = ((100, 1_000), (300, 3_000), (1_000, 10_000))
SHORT: Final = (1,)
FULL: Final = (1, 2, 3)
"""Seeds of lags and capacities."""
HEAD: Final = ("group", "fields", "time", "status", "across racks", "moves", "gap")


class CapacityShape(NamedTuple):
    """One subscription for all, and a member that joins; see `shapes.one`."""

    members: int
    partitions: int
    seed: int
    topics: int = 10

    def __str__(self) -> str:
        return f"{self.members}x{self.partitions}/{self.seed}"

    def draw(self) -> Case:
        """The group with capacities, without lags and racks."""
        sizes = shapes.even_sizes(self.partitions, self.topics)
        case = shapes.one(
            f"capacities/{self}", "capacities", members=self.members, sizes=sizes, owners="joins"
        )
        drawn = self._rng().integers(1, CAPACITIES, self.members, endpoint=True)
        return replace(case, capacities=tuple(drawn.tolist()))

    def with_lags(self) -> Case:
        """The group with lognormal lags."""
        return replace(self.draw(), lag=lags("lognormal", self.partitions, self.seed))

    def with_racks(self) -> Case:
        """The group with members in three racks, at random, and one or two replicas."""
        rng = self._rng()
        of_member = [RACKS[r] for r in rng.integers(0, len(RACKS), self.members).tolist()]
        first = rng.integers(0, len(RACKS), self.partitions)
        second = (first + rng.integers(0, 2, self.partitions)) % len(RACKS)
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        holding = tuple((RACKS[a],) if a == b else (RACKS[a], RACKS[b]) for a, b in pairs)
        return replace(self.draw(), racks=Racks(tuple(of_member), holding))

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.members, self.partitions, self.seed])


def measure(
    seeds: Sequence[int],
    sizes: Sequence[tuple[int, int]] = SIZES,
    largest: tuple[int, int] = LARGEST,
    published: tuple[int, int] = KAFKA,
) -> list[dict[str, Any]]:
    """One row for each group."""
    shape = CapacityShape(*largest, 1, TOPICS)
    case, kafka = shape.with_racks(), CapacityShape(*published, 1)
    return [
        _timed(shape, case, "capacities, 3 racks", rack_aware=True),
        _timed(shape, replace(case, racks=None, capacities=None), "none"),
        _timed(
            kafka, replace(kafka.with_racks(), capacities=None), f"3 racks, {PUBLISHED}",
            rack_aware=True, balance="total-then-topics",
        ),
        *(_evened(CapacityShape(*size, seed)) for size in sizes for seed in seeds),
    ]  # fmt: skip


def _timed(shape: CapacityShape, case: Case, fields: str, **settings: Any) -> dict[str, Any]:
    """Exact counts, reads across racks and moves."""
    group, seconds = case.group(), []
    for _ in range(CALLS + 1):
        fresh = replace(group)  # without what an earlier call has computed
        start = time.perf_counter()
        plan = solve(fresh, "fair-yet-sticky", time_limit=PATIENCE, **settings)
        claims = {claim.claim: claim.value for claim in plan.claims}
        seconds.append(time.perf_counter() - start)
    needed = {"counts", "fewest_moves"}
    needed |= {"fewest_cross_rack"} if "rack_aware" in settings else set()
    needed |= {"fewest_topic_squares"} if "balance" in settings else set()
    return {
        "group": str(shape),
        "fields": fields,
        "seconds": statistics.median(seconds[1:]),  # the first call loads modules
        "status": plan.status,
        "findings": [*map(str, verify(plan.group, plan)), *sorted(needed - claims.keys())],
        "cross_rack": claims.get("fewest_cross_rack"),
        "moves": len(plan.moves),
    }


def _evened(shape: CapacityShape) -> dict[str, Any]:
    """The gap of loads per unit of capacity, from the assignment and the plan's proved bound."""
    case = shape.with_lags()
    group = case.group()
    start = time.perf_counter()
    plan = solve(group, tolerance=0, time_limit=LIMIT)
    seconds = time.perf_counter() - start
    assert case.lag is not None
    assert case.capacities is not None
    loads = loads_by_capacity(case, plan.assignment)
    mean = float(case.lag.sum()) / sum(case.capacities)
    return {
        "group": str(shape),
        "fields": "capacities",
        "seconds": seconds,
        "status": plan.status,
        "findings": [*map(str, verify(plan.group, plan)), *plan.notes],
        "cross_rack": None,
        "moves": len(plan.moves),
        "gap_percent": 100.0 * (max(loads) - min(loads) - proved_spread(plan)) / mean,
    }


def loads_by_capacity(case: Case, assignment: Assignment) -> list[float]:
    """[M] the lag of each member over its capacity."""
    assert case.lag is not None
    assert case.capacities is not None
    lag = {
        topic: case.lag[start : start + size]
        for topic, start, size in zip(case.topics, case.start.tolist(), case.sizes, strict=False)
    }
    return [
        sum(int(lag[topic][numbers].sum()) for topic, numbers in assignment[member].items())
        / capacity
        for member, capacity in zip(case.members, case.capacities, strict=True)
    ]


def proved_spread(plan: Plan) -> float:
    """The plan's bound on the spread of loads per unit of capacity."""
    assert plan.extended is not None
    return plan.extended.load.spread_lower_bound


def rows(found: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The table of a report, with the columns of `HEAD`."""
    return [
        (
            row["group"],
            row["fields"],
            f"{row['seconds']:.3g} s",
            "not proved: " + row["findings"][0] if row["findings"] else row["status"],
            "" if row["cross_rack"] is None else f"{row['cross_rack']:,}",
            f"{row['moves']:,}",
            f"{row['gap_percent']:.4g} %" if "gap_percent" in row else "",
        )
        for row in found
    ]
