"""The targets, tables and plots of the benchmark of assignors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.assignor_cases import answer_of, cell_of, results_of

from benchmarks.assignors import report
from benchmarks.assignors.drawing import Dot, LogAxis, scatter
from benchmarks.assignors.inputs import FRONT
from benchmarks.assignors.limits import LARGEST
from benchmarks.assignors.report import markdown
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


def test_who_timed_out_is_slower_and_who_is_missing_says_nothing() -> None:
    name = "mixed subscriptions: against franz-go"
    answers = {"equilag": answer_of(2.0), "franz-go-sticky": {"timeout": 60.0}}
    assert verdicts(results_of([cell_of("mixed/a", answers, kind="mixed")]))[name].met
    answers["franz-go-sticky"] = {"skipped": "no Go"}
    assert verdicts(results_of([cell_of("mixed/a", answers, kind="mixed")]))[name].met is None
    answers = {"equilag": {"timeout": 60.0}, "franz-go-sticky": answer_of(1.0)}
    assert verdicts(results_of([cell_of("mixed/a", answers, kind="mixed")]))[name].met is False


@pytest.mark.parametrize(
    "wrong", [{"counts_optimal": False}, {"excess_moves": 1}, {"excess_moves": -1}]
)
def test_speed_does_not_make_up_for_an_answer_that_is_not_exact(wrong: dict[str, Any]) -> None:
    name = "mixed subscriptions: counts and moves"
    fine = cell_of("mixed/a", {"equilag": answer_of(1.0)}, kind="mixed")
    assert verdicts(results_of([fine]))[name].met
    bad = cell_of("mixed/b", {"equilag": answer_of(1.0, **wrong)}, kind="mixed")
    assert verdicts(results_of([fine, bad]))[name].met is False
    unproved = {**fine, "proved": {"findings": ["counts: not balanced"]}}
    assert verdicts(results_of([unproved]))[name].met is False


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
    assert verdicts(results_of([fine]))[name].met
    wide = lagging(family, members, partitions, most * 1.1)
    assert verdicts(results_of([fine, wide]))[name].met is False
    fallback = lagging(family, members, partitions, 0.0, counts_optimal=False)
    assert verdicts(results_of([fallback]))[name].met is False
    assert sum(target.met is not None for target in judged(results_of([fine]))) == 1


def test_overrun_in_most_runs_and_at_worst() -> None:
    most, worst = "overrun in 95 of 100 runs", "overrun at worst"
    limits = {"overrun": overrun([0.0] * 95 + [199.0] * 5)}
    found = verdicts(results_of([], limits=limits))
    assert found[most].met
    assert found[worst].met
    found = verdicts(results_of([], limits={"overrun": overrun([0.0] * 94 + [60.0] * 5 + [201.0])}))
    assert found[most].met is False
    assert found[worst].met is False
    failed = {"overrun": [{"case": LARGEST, "error": "status 1"}]}
    assert verdicts(results_of([], limits=failed))[most].met is False


def test_first_plan_memory_and_loading() -> None:
    good = {
        "overrun": overrun([0.0], first=0.3),
        "memory": {"peak_mib": 1_024.0},
        "loading": {"ratio": 1.5},
    }
    assert not missed(judged(results_of([], limits=good)))
    bad = {
        "overrun": overrun([0.0], first=0.31),
        "memory": {"peak_mib": 1_025.0},
        "loading": {"error": "status 1"},
    }
    assert sum(target.met is False for target in judged(results_of([], limits=bad))) == 3


def whole() -> dict[str, Any]:
    """Results in which no part is empty."""
    plain = cell_of(
        "grid/100x5/a",
        {
            "range": answer_of(0.5, counts_optimal=False, excess_moves=-3),
            "equilag": answer_of(2.0),
            "uniform": answer_of(1.0, excess_moves=7),
            "franz-go-sticky": answer_of(1.5),
            "sticky": {"timeout": 60.0},
            "cooperative-sticky": {"timeout": 60.0, "inferred_from": "grid/smaller"},
            "aiokafka-sticky": {"skipped": "no aiokafka"},
            "kafka-python-sticky": {"error": "broke"},
        },
    )
    front = cell_of(
        FRONT,
        {
            "equilag": answer_of(2_000.0, max_over_mean=1.0000001, moves=90_000),
            "sticky": answer_of(90.0, max_over_mean=1.9, moves=0),
            "range": answer_of(9.0, max_over_mean=2.0, counts_optimal=False),
        },
        lags="lognormal",
    )
    points = [
        {"moves": 0, "changed": 1_000, "max_over_mean": 1.9, "spread": 9},
        {"moves": 500, "changed": 1_500, "max_over_mean": 1.0001, "spread": 1},
    ]
    frontier = {"case": FRONT, "free": 1_000, "fewest_moves": 0, "points": points}
    error = cell_of("lag/b", {"equilag": {"error": "status 1"}}, lags="zipf")
    error["proved"]["findings"] = ["status 1"]
    cells = [plain, front, lagging("lag", 10, 60, 0.001), error]
    return results_of(cells, frontier=frontier, limits={"overrun": overrun([1.0])})


def test_the_tables_hold_every_assignor_and_what_became_of_it() -> None:
    text = markdown(whole())
    row = next(line for line in text.splitlines() if line.startswith("| grid | 1 |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2:] == ["0.25", "0.50", "0.75", "", ""]
    assert "equilag takes 1.00 times as long when" in text
    assert "| sticky | 0 of 1, 1 timed out | 0 |" in text
    assert "| kafka-python-sticky | 0 of 1, 1 failed | 0 |" in text
    assert f"| {FRONT} | 1 | 1.9 | 2 ! |" in text
    assert "\nIn 1 of 1 cells, " in text
    assert " by up to\n1.33 times, in grid/100x5/a (franz-go-sticky).\n" in text
    assert "not run: no aiokafka" in text
    assert "| lag/b | 1, failed: status 1 |" in text
    assert "| lag/10x60 | 1 | 2 s | 2.00 s | 0 | 0.001 % | 0.001 % |" in text
    listed = text.partition("## Targets\n")[2].partition("\n## ")[0]
    found = len(re.findall(r"^- (?!not measured: ).*\)$", listed, re.MULTILINE))
    (left,) = re.findall(r"^- not measured: (.*)$", text, re.MULTILINE)
    assert len(judged(whole())) == found + len(left.split("; "))


def test_pictures_are_xml_with_a_dot_for_each_assignor(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    results.write_text(json.dumps(whole()), "utf-8")
    assert report.main([str(results), "--out", str(tmp_path / "out")]) == 0
    for name, dots in (("quality.svg", 3), ("front.svg", 5)):
        tree = ElementTree.parse(tmp_path / "out" / name)  # the test's own file
        assert len(tree.findall(".//{http://www.w3.org/2000/svg}g[@id='dot']")) == dots
    assert (tmp_path / "out" / "report.md").read_text("utf-8").startswith("# ")


def test_labels_are_escaped_and_do_not_cover_each_other() -> None:
    axis = LogAxis("<x>", 1.0, 10.0)
    picture = scatter("a & b", axis, axis, [Dot(2.0, 2.0, "one"), Dot(2.0, 2.0, "two")])
    heights = [
        float(text.get("y", "0"))
        for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
        if text.text in ("one", "two")
    ]
    assert abs(heights[0] - heights[1]) >= 14


def test_perfect_plans_are_counted_against_their_target() -> None:
    row = {
        "list": "9 up to 9 for 3", "divides": True, "seconds": 1.5, "limit_s": 10.0,
        "status": "optimal", "counts_even": True, "spread": 0, "optimum": 0, "solved": True,
    }  # fmt: skip
    rows = [{**row, "list": str(number)} for number in range(35)]
    target = verdicts(results_of([], perfect=rows))["perfect plans"]
    assert target.met
    assert target.figures == "35 of 35 lists, at most 1.5 s"
    for number in (1, 2, 3):
        rows[number] |= {"solved": False, "spread": 7}
        verdict = verdicts(results_of([], perfect=rows))["perfect plans"]
        assert verdict.met == (number < 3)
    assert "32 of 35 lists, not 1" in verdict.figures
    assert "| 1 | divides | 1.50 of 10 s | optimal | even | **7** | 0 |" in markdown(
        results_of([], perfect=rows[: report.MOST_ROWS])
    )


def test_topics_one_by_one_are_held_against_their_targets() -> None:
    row = {"group": "a", "balance": "both", "limit_s": 0.2, "overrun_ms": 20.0,
           "gap_percent": 3.0, "even": False, "exact": True}  # fmt: skip
    even = {**row, "even": True, "gap_percent": 0.5}
    overrun, gap = (
        "overrun, topics one by one",
        "proved gap, topics one by one, 10,000 x 200,000, 2 s",
    )
    met = verdicts(results_of([], topics=[row, even]))
    assert met[overrun].met
    assert met[gap].met
    late = verdicts(
        results_of([], topics=[{**row, "overrun_ms": 80.0}, {**even, "gap_percent": 2}])
    )
    assert late[overrun].met is False
    assert late[gap].met is False
    wrong = {**even, "exact": False}
    assert verdicts(results_of([], topics=[row, wrong]))[overrun].met is False
    report = markdown(results_of([], topics=[row, wrong]))
    assert "| a | both | 0.2 s | +20 ms |  | exact |" in report
    assert "| a | both | 0.2 s | +20 ms | 0.5 % | **not exact** |" in report


def test_few_moves_are_counted_against_their_targets() -> None:
    row = {"case": "a", "max_moves": 2, "seconds": 1.0, "status": "optimal", "proved": True,
           "spread": 5, "best": 5, "above_percent": 0.0, "problems": []}  # fmt: skip
    met = verdicts(results_of([], **{"few moves": [row]}))
    assert met["few moves"].met
    assert met["few moves, above the best plan"].met
    worse = {**row, "proved": False, "above_percent": 0.2}
    missed = verdicts(results_of([], **{"few moves": [row, worse]}))
    assert missed["few moves"].met is False
    assert missed["few moves, above the best plan"].met is False
    assert "## Few moves" in markdown(results_of([], **{"few moves": [row]}))
