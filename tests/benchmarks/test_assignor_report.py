"""The targets of the benchmark of assignors; `test_pages.py` has its page and its tables."""

from __future__ import annotations

import math
from typing import Any, Final

import pytest
from support.json_schemas import replaced

from benchmarks.assignors.limits import LARGEST
from benchmarks.assignors.targets import judged, missed

FINE: Final = {
    "assign_ms": 2.0, "counts_optimal": True, "excess_moves": 0, "gap_percent": 0.0,
    "status": "optimal",
}  # fmt: skip


def cell(
    case: str, kind: str, size: tuple[int, int], gap: float | None = None, **peers: float
) -> dict[str, Any]:
    """A cell that equilag answers, with lags where there is a gap, and milliseconds of peers."""
    others = {name.replace("_", "-"): {"assign_ms": ms} for name, ms in peers.items()}
    return {
        "case": case, "family": case.partition("/")[0], "kind": kind, "members": size[0],
        "partitions": size[1], "lags": "none" if gap is None else "zipf",
        "proved": {"findings": []}, "answers": {"equilag": {**FINE, "gap_percent": gap}, **others},
    }  # fmt: skip


def overruns(ms: list[float], first: float = 0.3) -> list[dict[str, Any]]:
    runs = [{"limit": 1.0, "wall": 1.0 + one / 1000.0, "first_valid": first} for one in ms]
    return [{"case": LARGEST, "runs": runs}]


TOPICS: Final = {"group": "a", "balance": "both", "overrun_ms": 49.0, "gap_percent": 1.0,
                 "even": False, "exact": True}  # fmt: skip
MOVES: Final = {"case": "a", "proved": True, "above_percent": 0.1, "problems": []}
EXACT: Final = {"group": "a", "fields": "3 racks", "seconds": 1.0, "findings": []}
AT_THE_LIMITS: Final[dict[str, Any]] = {
    "cells": [
        cell("grid/a", "one", (100, 1_000), cooperative_sticky=2.0, uniform=1.0),
        cell("grid/b", "one", (10_000, 500_000), uniform=2.0),
        cell("mixed/2000x10000/a", "mixed", (2_000, 10_000), franz_go_sticky=2.0),
        cell("lag/a", "one", (10, 60), 0.02),
        cell("lag/b", "one", (100, 1_000), 0.01),
        cell("lag/c", "one", (1_000, 10_000), 0.01),
        cell("lag/d", "one", (10_000, 500_000), 0.1),
        cell("lag-mixed/a", "mixed", (500, 4_457), 0.5),
        cell("lag-few/a", "one", (50, 200), 0.02),
        cell("lag-20-topics/a", "mixed", (500, 941), 0.2),
        cell("lag-small/6x36/a", "one", (6, 36), 0.0),
        cell("levels/a", "mixed", (200, 4_000)),
        cell("mixed/a", "mixed", (100, 500), franz_go_sticky=2.0),
    ],
    "perfect": [{"list": str(n), "solved": n < 33, "seconds": 1.5} for n in range(35)],
    "topics": [TOPICS, {**TOPICS, "even": True}],
    "few moves": [*[MOVES] * 60, *[{**MOVES, "proved": False}] * 12],
    "racks": [{"group": "a", "cross_rack": 4, "fewest_cross_rack": 4, "counts_optimal": True}],
    "capacities": [EXACT, {**EXACT, "gap_percent": 0.05}, {**EXACT, "fields": "none"}],
    "limits": {
        "overrun": overruns([0.0] * 95 + [199.0] * 5), "memory": {"peak_mib": 1_024.0},
        "loading": {"ratio": 1.5},
    },
}  # fmt: skip

ONE, MIXED = "one subscription: counts and moves", "mixed subscriptions: counts and moves"
JAVA = "one subscription: against Java and franz-go"
FRANZ = "mixed subscriptions: against franz-go"
FRANZ_SMALL = "mixed subscriptions up to 100 members: against franz-go"
MANY = "one subscription, 100,000 partitions: against UniformAssignor"
GAPS: Final = (
    "proved gap from 10 x 60, one subscription, 2 s",
    *["proved gap from 100 x 1,000 to 1,000 x 10,000, 2 s"] * 2,
    "proved gap of 10,000 x 500,000, 10 s",
    "proved gap, mixed subscriptions up to 500 members, 3 s",
    "proved gap of 50 x 200, one subscription, 2 s",
    "proved gap, 20 topics each, 20 x 40 and 500 x 200, 3 s",
)
"""Of the cells from number 3 on."""
RUNS, WORST = "overrun in 95 of 100 runs", "overrun at worst"
FEW, ABOVE = "few moves", "few moves, above the best plan"
ONE_BY_ONE = "overrun, topics one by one"
GAP_TOPICS = "proved gap, topics one by one, 10,000 x 200,000, 2 s"
CAPACITIES = "capacities and racks, 10,000 x 500,000: counts, racks, moves"
GAP_CAPACITIES = "proved gap, capacities 1 to 4, 100 x 1,000 to 1,000 x 10,000, 2 s"


def own(number: int, name: str) -> tuple[Any, ...]:
    return "cells", number, "answers", "equilag", name


def states(results: dict[str, Any]) -> dict[str, bool | None]:
    return {goal.name: goal.met for goal in judged(results)}


def test_all_are_met_at_their_limits_and_open_without_figures() -> None:
    assert {name for name, met in states(AT_THE_LIMITS).items() if not met} == {
        "5 x 30, mixed subscriptions"
    }
    nothing = judged({"cells": []})
    assert {goal.met for goal in nothing} == {None}
    assert not missed(nothing)
    assert len({goal.name for goal in nothing}) == len(nothing)


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        (own(0, "assign_ms"), 2.1, {JAVA: False}),
        (own(1, "assign_ms"), 2.1, {MANY: False}),
        (own(12, "assign_ms"), 6.0, {FRANZ: False}),
        (own(12, "assign_ms"), 6.1, {FRANZ: False, FRANZ_SMALL: False}),
        (("cells", 0, "answers", "cooperative-sticky"), {"timeout": 60.0}, {}),
        (("cells", 0, "answers", "cooperative-sticky"), {"skipped": "no Java"}, {JAVA: None}),
        (("cells", 1, "answers", "equilag"), {"timeout": 60.0}, {ONE: False, MANY: False}),
        (own(0, "counts_optimal"), False, {ONE: False}),
        (own(2, "excess_moves"), 1, {MIXED: False}),
        (own(2, "excess_moves"), -1, {MIXED: False}),
        (("cells", 2, "proved", "findings"), ["counts: not balanced"], {MIXED: False}),
        (own(2, "assign_ms"), 1_000.1, {"random 2,000 x 10,000": False, FRANZ: False}),
        (own(11, "assign_ms"), 50.1, {"disjoint groups at different levels": False}),
        (own(10, "status"), "feasible", {"6 x 36": False}),
        *[(own(3 + n, "gap_percent"), 0.51, {name: False}) for n, name in enumerate(GAPS)],
        *[(own(3 + n, "counts_optimal"), False, {name: False}) for n, name in enumerate(GAPS)],
        (("perfect", 0, "solved"), False, {"perfect plans": False}),
        (("topics", 0, "overrun_ms"), 50.1, {ONE_BY_ONE: False}),
        (("topics", 1, "gap_percent"), 1.1, {GAP_TOPICS: False}),
        (("topics", 1, "exact"), False, {ONE_BY_ONE: False, GAP_TOPICS: False}),
        (("few moves", 0, "proved"), False, {FEW: False}),
        (("few moves", -1, "above_percent"), 0.2, {ABOVE: False}),
        (("racks", 0, "cross_rack"), 5, {"racks: fewest reads": False}),
        (("racks", 0, "counts_optimal"), False, {"racks: fewest reads": False}),
        (("racks", 0, "fewest_cross_rack"), None, {"racks: fewest reads": False}),
        (("capacities", 0, "seconds"), 1.1, {CAPACITIES: False}),
        (("capacities", 0, "findings"), ["no"], {CAPACITIES: False}),
        (("capacities", 1, "gap_percent"), 0.06, {GAP_CAPACITIES: False}),
        (("capacities", 1, "findings"), ["no"], {GAP_CAPACITIES: False}),
        (("capacities", 2, "seconds"), math.inf, {}),
        (("limits", "overrun"), overruns([0.0] * 94 + [60.0] * 6), {RUNS: False}),
        (("limits", "overrun"), overruns([0.0] * 99 + [201.0]), {WORST: False}),
        (("limits", "overrun"), [{"case": LARGEST, "error": "status 1"}],
         {RUNS: False, WORST: False, "first valid plan of 10,000 x 500,000": None}),
        (("limits", "overrun"), overruns([0.0], 0.31),
         {"first valid plan of 10,000 x 500,000": False}),
        (("limits", "memory", "peak_mib"), 1_025.0,
         {"memory, 10,000 x 500,000 from its snapshot": False}),
        (("limits", "loading"), {"error": "status 1"},
         {"loading 500,000 partitions over parsing": False}),
    ],
)  # fmt: skip
def test_each_target_can_be_missed(
    path: tuple[Any, ...], value: Any, changed: dict[str, bool | None]
) -> None:
    met, found = states(AT_THE_LIMITS), states(replaced(AT_THE_LIMITS, path, value))
    assert {name: state for name, state in found.items() if state != met[name]} == changed
