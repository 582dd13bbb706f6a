"""The targets, tables and plots of the benchmark of assignors.

`test_pages.py` has the page of the results that are kept.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.assignor_cases import answer_of, cell_of, results_of

from benchmarks.assignors.limits import LARGEST
from benchmarks.assignors.rack_groups import OWN
from benchmarks.assignors.report import MOST_ROWS, markdown
from benchmarks.assignors.targets import Target, judged, missed


def verdicts(results: dict[str, Any]) -> dict[str, Target]:
    return {target.name: target for target in judged(results)}


def lagging(family: str, members: int, partitions: int, gap: float, **own: Any) -> dict[str, Any]:
    return cell_of(
        f"{family}/{members}x{partitions}/zipf/1",
        {"equilag": answer_of(2_000.0, gap_percent=gap, limit_s=2.0, status="feasible", **own)},
        members=members, partitions=partitions, lags="zipf",
        kind="mixed" if family == "lag-mixed" else "one",
    )  # fmt: skip


def overrun(over: list[float], first: float = 0.1) -> list[dict[str, Any]]:
    runs = [{"limit": 1.0, "wall": 1.0 + ms / 1000.0, "first_valid": first} for ms in over]
    return [{"case": LARGEST, "runs": runs}]


def test_what_was_not_measured_is_open() -> None:
    targets = judged(results_of([]))
    assert {target.met for target in targets} == {None}
    assert not missed(targets)
    assert len({target.name for target in targets}) == len(targets)


def test_every_peer_named_has_to_be_beaten_in_every_cell() -> None:
    name = "one subscription: against Java and franz-go"
    fast = {"equilag": answer_of(2.0), "cooperative-sticky": answer_of(9.0)}
    slow = {"equilag": answer_of(2.0), "franz-go-sticky": answer_of(1.0)}
    assert verdicts(results_of([cell_of("grid/a", fast)]))[name].met
    both = verdicts(results_of([cell_of("grid/a", fast), cell_of("grid/b", slow)]))[name]
    assert both.met is False
    assert "1 of 2 cells, at worst 2.00 times, in grid/b" in both.figures


@pytest.mark.parametrize(
    ("own", "peer", "met"),
    [
        (answer_of(2.0), {"timeout": 60.0}, True),
        (answer_of(2.0), {"skipped": "no Go"}, None),
        ({"timeout": 60.0}, answer_of(1.0), False),
    ],
)
def test_who_timed_out_is_slower_and_who_is_missing_says_nothing(
    own: dict[str, Any], peer: dict[str, Any], met: bool | None
) -> None:
    cell = cell_of("mixed/a", {"equilag": own, "franz-go-sticky": peer}, kind="mixed")
    found = verdicts(results_of([cell]))
    assert found["mixed subscriptions: against franz-go"].met is met


@pytest.mark.parametrize(
    "wrong", [{"counts_optimal": False}, {"excess_moves": 1}, {"excess_moves": -1}]
)
def test_speed_does_not_make_up_for_an_answer_that_is_not_exact(wrong: dict[str, Any]) -> None:
    name = "mixed subscriptions: counts and moves"
    fine = cell_of("mixed/a", {"equilag": answer_of(1.0)}, kind="mixed")
    bad = cell_of("mixed/b", {"equilag": answer_of(1.0, **wrong)}, kind="mixed")
    unproved = {**fine, "proved": {"findings": ["counts: not balanced"]}}
    for cells, met in (([fine], True), ([fine, bad], False), ([unproved], False)):
        assert verdicts(results_of(cells))[name].met == met


@pytest.mark.parametrize(
    ("family", "members", "partitions", "most", "name"),
    [
        ("lag", 10, 60, 0.02, "proved gap from 10 x 60, one subscription, 2 s"),
        ("lag", 100, 1_000, 0.01, "proved gap from 100 x 1,000 to 1,000 x 10,000, 2 s"),
        ("lag", 1_000, 10_000, 0.01, "proved gap from 100 x 1,000 to 1,000 x 10,000, 2 s"),
        ("lag", 10_000, 500_000, 0.1, "proved gap of 10,000 x 500,000, 10 s"),
        ("lag-mixed", 500, 4_457, 0.5, "proved gap, mixed subscriptions up to 500 members, 3 s"),
        ("lag-few", 50, 200, 0.02, "proved gap of 50 x 200, one subscription, 2 s"),
        ("lag-20-topics", 500, 941, 0.2, "proved gap, 20 topics each, 20 x 40 and 500 x 200, 3 s"),
    ],
)
def test_the_largest_gap_decides(
    family: str, members: int, partitions: int, most: float, name: str
) -> None:
    fine = lagging(family, members, partitions, most)
    wide = lagging(family, members, partitions, most * 1.1)
    fallback = lagging(family, members, partitions, 0.0, counts_optimal=False)
    for cells, met in (([fine], True), ([fine, wide], False), ([fallback], False)):
        assert verdicts(results_of(cells))[name].met == met
    assert sum(target.met is not None for target in judged(results_of([fine]))) == 1


@pytest.mark.parametrize(
    ("limits", "missed_ones"),
    [
        ({"overrun": overrun([0.0] * 95 + [199.0] * 5)}, set()),
        ({"overrun": overrun([0.0] * 94 + [60.0] * 6)}, {"overrun in 95 of 100 runs"}),
        ({"overrun": overrun([0.0] * 99 + [201.0])}, {"overrun at worst"}),
        ({"overrun": [{"case": LARGEST, "error": "status 1"}]},
         {"overrun in 95 of 100 runs", "overrun at worst"}),
        ({"overrun": overrun([0.0], first=0.3), "memory": {"peak_mib": 1_024.0},
          "loading": {"ratio": 1.5}}, set()),
        ({"overrun": overrun([0.0], first=0.31), "memory": {"peak_mib": 1_025.0},
          "loading": {"error": "status 1"}},
         {"first valid plan of 10,000 x 500,000", "memory, 10,000 x 500,000 from its snapshot",
          "loading 500,000 partitions over parsing"}),
    ],
)  # fmt: skip
def test_limits(limits: dict[str, Any], missed_ones: set[str]) -> None:
    found = judged(results_of([], limits=limits))
    assert {target.name for target in found if target.met is False} == missed_ones


LIST = {"list": "1", "divides": True, "seconds": 1.5, "limit_s": 10.0, "status": "optimal",
        "counts_even": True, "spread": 0, "optimum": 0, "solved": True}  # fmt: skip
LISTS = [{**LIST, "list": str(number)} for number in range(33)]
SHORT = {**LIST, "list": "short", "solved": False, "spread": 7}
TOPICS = {"group": "a", "balance": "both", "limit_s": 0.2, "overrun_ms": 20.0,
          "gap_percent": 3.0, "even": False, "exact": True}  # fmt: skip
EVEN = {**TOPICS, "even": True, "gap_percent": 0.5}
MOVES = {"case": "a", "max_moves": 2, "seconds": 1.0, "status": "optimal", "proved": True,
         "spread": 5, "best": 5, "above_percent": 0.0, "problems": []}  # fmt: skip
RACKS = {"group": "a", "assignor": OWN, "assign_ms": 1.0, "valid": True, "moves": 3,
         "cross_rack": 4, "fewest_cross_rack": 4, "counts_optimal": True, "smallest_count": 1,
         "largest_count": 2}  # fmt: skip
EXACT = {"group": "a", "fields": "capacities, 3 racks", "seconds": 0.5, "status": "optimal",
         "findings": [], "cross_rack": 7, "moves": 9}  # fmt: skip
PLAIN = {**EXACT, "fields": "none", "seconds": 9.0, "cross_rack": None}
LAGGING = {**PLAIN, "fields": "capacities", "gap_percent": 0.04}


@pytest.mark.parametrize(
    ("part", "rows", "met"),
    [
        ("perfect", [*LISTS, SHORT, {**SHORT, "list": "b"}], [True]),
        ("perfect", [*LISTS[1:], SHORT, *({**SHORT, "list": one} for one in "bc")], [False]),
        ("topics", [TOPICS, EVEN], [True, True]),
        ("topics", [{**TOPICS, "overrun_ms": 80.0}, {**EVEN, "gap_percent": 2}], [False, False]),
        ("topics", [TOPICS, {**EVEN, "exact": False}], [False, False]),
        ("few moves", [MOVES], [True, True]),
        ("few moves", [MOVES, {**MOVES, "proved": False, "above_percent": 0.2}], [False, False]),
        ("racks", [RACKS, RACKS], [True]),
        ("racks", [RACKS, {**RACKS, "cross_rack": 5}], [False]),
        ("racks", [RACKS, {**RACKS, "counts_optimal": False}], [False]),
        ("racks", [RACKS, {**RACKS, "fewest_cross_rack": None}], [False]),
        ("capacities", [EXACT, PLAIN, LAGGING], [True, True]),
        ("capacities", [{**EXACT, "seconds": 1.1}, LAGGING], [False, True]),
        ("capacities", [{**EXACT, "findings": ["no"]}, LAGGING], [False, True]),
        ("capacities", [EXACT, {**LAGGING, "gap_percent": 0.06}], [True, False]),
        ("capacities", [EXACT, {**LAGGING, "findings": ["no"]}], [True, False]),
    ],
)
def test_the_targets_of_a_part(part: str, rows: list[dict[str, Any]], met: list[bool]) -> None:
    found = [target.met for target in judged(results_of([], **{part: rows}))]
    assert [one for one in found if one is not None] == met


def test_the_tables_of_parts_and_of_what_became_of_each_assignor() -> None:
    answers = {
        "equilag": answer_of(2.0),
        "range": answer_of(0.5, counts_optimal=False),
        "sticky": {"timeout": 60.0},
        "cooperative-sticky": {"skipped": "no Java"},
        "kafka-python-sticky": {"error": "broke"},
        "uniform": answer_of(1.0, valid=False, counts_optimal=False),
        "fair": answer_of(1.0),
    }
    error = cell_of("lag/b", {"equilag": {"error": "status 1"}}, lags="zipf")
    cells = [cell_of("grid/a", answers), cell_of("lag/c", answers, lags="zipf"), error]
    parts = {
        "perfect": [*LISTS[: MOST_ROWS - 1], SHORT], "topics": [EVEN, {**EVEN, "exact": False}],
        "few moves": [MOVES], "racks": [RACKS], "capacities": [LAGGING],
    }  # fmt: skip
    results = results_of([*cells, lagging("lag", 10, 60, 0.001)], **parts)
    text = markdown(results)
    for line in (
        "| sticky | 0 of 1, 1 timed out | 0 |", "| kafka-python-sticky | 0 of 1, 1 failed | 0 |",
        "| uniform | 1 of 1, 1 failed | 0 |", "not run: no Java",
        "| lag/c | 1 | 1 ! | > 60 s | failed | not valid | 1 |", "| lag/b | 1, failed: status 1 |",
        "| lag/10x60 | 1 | 2 s | 2.00 s | 0 | 0.001 % | 0.001 % |",
        "| short | divides | 1.50 of 10 s | optimal | even | **7** | 0 |",
        "| a | both | 0.2 s | +20 ms | 0.5 % | **not exact** |", "## Few moves",
        f"| a | {OWN} | 4, proved | 1 to 2 | 3 | 1 ms |", "| a | capacities | 9 s | optimal |",
    ):  # fmt: skip
        assert line in text
    assert "\nIn 1 of 1 cells, " in text
    assert " by up to\n2.00 times, in grid/a (fair).\n" in text
    listed = text.partition("## Targets\n")[2].partition("\n## ")[0]
    (left,) = re.findall(r"^- not measured: (.*)$", listed, re.MULTILINE)
    goals = judged(results)
    met = sum(goal.met is True for goal in goals)
    assert f"\n{met} of {len(goals)} targets are met.\n" in listed
    assert met + listed.count("\n- missed: ") + len(left.split("; ")) == len(goals)
