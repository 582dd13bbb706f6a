"""Groups with racks: partitions that are read across racks, counts and moves.

Of Kafka's and franz-go's assignors those that know racks, and equilag. franz-go looks for the rack
of a partition's leader, the others for that of any replica. A partition is read across racks if no
replica is in the member's rack.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.assignors import shapes
from benchmarks.assignors.case import Case, Racks
from benchmarks.assignors.cells import Peer, answer
from benchmarks.assignors.evaluate import Proved, evaluate
from benchmarks.assignors.exchange import write_case
from benchmarks.assignors.peers import RACK_PEERS, CallBudget
from benchmarks.assignors.prove import proved
from equilag.certificate.verify import verify
from equilag.domain.plan.plan import Plan
from equilag.planner.assign import assign
from equilag.planner.solve import solve

RACKS: Final = ("rack-a", "rack-b", "rack-c")
EQUAL: Final = (1, 1, 1)
SKEWED: Final = (6, 3, 1)
"""Members by rack, in parts."""
LIMIT: Final = 2.0
"""Seconds for a plan of equilag."""
CALLS: Final = 5
"""Calls of which the median time is reported; a call takes milliseconds."""
BUDGET: Final = CallBudget(warm_s=0.2, measure_s=0.2, limit_s=60.0)
OWN: Final = "equilag, rack-aware"
HEAD: Final = ("group", "assignor", "across racks", "counts", "moves", "time")

SMALL: Final = tuple(range(12, 49, 4))
MIDDLE: Final = tuple(range(55, 146, 10))
LARGE: Final = tuple(range(310, 691, 20))
"""Sizes of topics that all differ, since range keeps topics of one size together: 300, 1,000 and
10,000 partitions."""

_one = partial(shapes.one, owners="joins")


class RackedShape(NamedTuple):
    """A group of `inputs` whose members and partitions have racks."""

    name: str
    build: Callable[[str, str], Case]
    replicas: int
    """Racks that hold a partition, drawn at random."""
    members: tuple[int, ...] = EQUAL

    def draw(self) -> Case:
        case = self.build(f"racks/{self.name}", "racks")
        rng = np.random.default_rng([case.n_members, case.n_partitions, self.replicas])
        dealt = np.repeat(np.arange(len(RACKS)), self.members)
        of_member = rng.permutation(np.resize(dealt, case.n_members)).tolist()
        holding = rng.permuted(np.tile(np.arange(len(RACKS)), (case.n_partitions, 1)), axis=1)
        of_partition = (
            tuple(RACKS[r] for r in row) for row in holding[:, : self.replicas].tolist()
        )
        racks = Racks(tuple(RACKS[r] for r in of_member), tuple(of_partition))
        return replace(case, racks=racks, time_limit=LIMIT)


SHORT: Final = (
    RackedShape("30x300, 2 replicas", partial(_one, members=30, sizes=SMALL), 2),
    RackedShape("30x300 of one size, 2 replicas", partial(_one, members=30, sizes=(30,) * 10), 2),
    RackedShape("100x1000, 2 replicas", partial(_one, members=100, sizes=MIDDLE), 2),
    RackedShape("100x1000, 1 replica", partial(_one, members=100, sizes=MIDDLE), 1),
    RackedShape("100x1000, 2 replicas, 6:3:1", partial(_one, members=100, sizes=MIDDLE), 2, SKEWED),
    RackedShape(
        "100x1000 mixed, 2 replicas",
        partial(shapes.buckets, members=100, sizes=MIDDLE, owners="joins"),
        2,
    ),
    RackedShape(
        "100x200 random, 1 replica, 6:3:1",
        partial(shapes.random_mixed, members=100, topics=200, owned=0.8),
        1,
        SKEWED,
    ),
)
FULL: Final = (
    *SHORT,
    RackedShape("1000x10000, 2 replicas", partial(_one, members=1_000, sizes=LARGE), 2),
)


def measure(
    groups: Sequence[RackedShape], peers: Sequence[Peer] = RACK_PEERS, budget: CallBudget = BUDGET
) -> list[dict[str, Any]]:
    """One row for each group and assignor: its figures, or why there are none."""
    return [
        {"group": shape.name, "assignor": name, **figures}
        for shape in groups
        for name, figures in _answers(shape.draw(), peers, budget)
    ]


def _answers(
    case: Case, peers: Sequence[Peer], budget: CallBudget
) -> Iterator[tuple[str, dict[str, Any]]]:
    proof, _ = proved(case)
    with tempfile.TemporaryDirectory(prefix="bench-racks-") as folder:
        case_file = Path(folder) / "case.json"
        write_case(case, case_file)
        for peer in peers:
            yield peer.name, answer(case, proof, peer, budget, case_file)
    group = case.group()
    yield "equilag assign range", _own(case, proof, partial(assign, group, "range"))
    planned = partial(solve, group, "fair-yet-sticky", time_limit=LIMIT)
    yield "equilag", _own(case, proof, planned)
    yield OWN, _own(case, proof, partial(planned, rack_aware=True))


def _own(case: Case, proof: Proved, call: Callable[[], Plan]) -> dict[str, Any]:
    """Figures of a plan, and the median time of some calls after a first one; with racks, the
    proved fewest reads as well."""
    plan = call()
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        plan = call()
        times.append(1000.0 * (time.perf_counter() - start))
    figures = evaluate(case, plan.assignment).beside(proof)
    found = {"assign_ms": statistics.median(times), **figures}
    fewest = {claim.claim: claim.value for claim in plan.claims}.get("fewest_cross_rack")
    if fewest is not None:
        found["fewest_cross_rack"] = None if verify(plan.group, plan) else fewest
    return found


def rows(found: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The table of a report, with the columns of `HEAD`."""
    return [(row["group"], row["assignor"], *_words(row)) for row in found]


def _words(row: dict[str, Any]) -> tuple[str, str, str, str]:
    if "assign_ms" not in row:
        why = row.get("skipped") or row.get("error") or f"more than {row['timeout']:.0f} s"
        return why, "", "", ""
    if not row["valid"]:
        return "not valid", "", "", ""
    counts = f"{row['smallest_count']} to {row['largest_count']}"
    proved = row.get("fewest_cross_rack") == row["cross_rack"]
    return (
        f"{row['cross_rack']:,}{', proved' if proved else ''}",
        f"{counts}{'' if row['counts_optimal'] else ' !'}",
        f"{row['moves']:,}",
        f"{row['assign_ms']:,.3g} ms",
    )
