"""Cells, groups and runs of the benchmark of assignors, with fake peers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.assignor_cases import FakePeer, answering

from benchmarks.assignors import (
    capacity_groups,
    frontier,
    limits,
    move_limits,
    own,
    perfect_lists,
    rack_groups,
    run,
    streams,
    topic_balance,
)
from benchmarks.assignors.cells import Slow, cell
from benchmarks.assignors.inputs import named
from benchmarks.assignors.part_targets import part_targets
from benchmarks.assignors.peers import CallBudget

BUDGET = CallBudget(warm_s=0.0, measure_s=0.0, limit_s=9.0)
RAMP = "ramp/9 members of 40"
LAGGING = "lag-small/5x30 mixed/zipf/1"


def slow(case: object) -> str:
    raise subprocess.TimeoutExpired("it", BUDGET.limit_s)


def test_a_cell_holds_the_case_what_is_proved_and_the_answers(tmp_path: Path) -> None:
    peers = [FakePeer(), FakePeer("away", "no such thing")]
    found = cell(named(RAMP), peers, BUDGET, Slow(), tmp_path)
    assert (found["case"], found["family"], found["kind"]) == (RAMP, "ramp", "mixed")
    assert (found["members"], found["partitions"], found["topics"]) == (9, 360, 8)
    assert found["proved"]["largest_count"] == found["proved"]["smallest"] == 40
    assert found["proved"]["findings"] == []
    stays = found["answers"]["fake"]
    assert (stays["assign_ms"], stays["names_ms"], stays["calls"]) == (2.0, 5.0, 3)
    assert stays["valid"]
    assert not stays["counts_optimal"]
    assert stays["excess_moves"] == -found["proved"]["fewest_moves"] < 0
    assert found["answers"]["away"] == {"skipped": "no such thing"}


@pytest.mark.parametrize(
    ("writes", "key", "what"),
    [
        (slow, "timeout", 9.0),
        (lambda _: None, "error", "wrote no result"),
        (lambda _: '{"error": "no", "version": "1.0"}', "error", "no"),
        (lambda _: "[", "error", "the result is not JSON"),
    ],
    ids=["slow", "silent", "failed", "garbled"],
)
def test_what_went_wrong_is_recorded(tmp_path: Path, writes: Any, key: str, what: object) -> None:
    found = cell(named(RAMP), [FakePeer(writes=writes)], BUDGET, Slow(), tmp_path)
    answer = found["answers"]["fake"]
    assert answer[key] == what or str(answer[key]).startswith(str(what))
    assert "assign_ms" not in answer


def test_who_was_too_slow_is_not_asked_for_more(tmp_path: Path) -> None:
    known, peer = Slow(), FakePeer(writes=slow)
    for name in (RAMP, "ramp/17 members of 160"):
        found = cell(named(name), [peer], BUDGET, known, tmp_path)
    assert found["answers"]["fake"] == {"timeout": 9.0, "inferred_from": RAMP}
    assert len(peer.asked) == 1
    assert known.instead("fake", named("mixed/40x20/full"), 9.0) is None
    assert known.instead("another", named(RAMP), 9.0) is None


def test_a_child_that_fails_says_why() -> None:
    assert "KeyError" in own.ask("no such case", limit=60.0)["error"]
    assert "not finished" in own.ask(RAMP, limit=0.01)["error"]


def test_limits_of_a_small_case(tmp_path: Path) -> None:
    scope = limits.Scope((LAGGING,), (0.05, 0.1), 1, 1)
    found = limits.overrun(LAGGING, scope)
    assert [made["limit"] for made in found["runs"]] == [0.05, 0.1]
    assert all(0 < made["first_valid"] <= made["wall"] for made in found["runs"])
    assert found["peak_mib"] > 0
    snapshot = tmp_path / "snapshot.json"
    snapshot.write_text(json.dumps(named(LAGGING).snapshot()), "utf-8")
    loading = own.ask("--snapshot", str(snapshot), "--loading", "1", limit=60.0)
    assert len(loading["load_s"]) == len(loading["parse_s"]) == 1
    planned = own.ask("--snapshot", str(snapshot), "--limits", "0.2", limit=60.0)
    assert planned["status"] in ("optimal", "feasible", "fallback")


def test_the_front_goes_from_the_fewest_moves_to_the_most_even() -> None:
    front = frontier.front((0, 3), "lag/10x60/lognormal/1", 0.1)
    points = front["points"]
    assert len(points) == 3
    assert points[0]["moves"] == front["fewest_moves"]
    assert points[-1]["max_over_mean"] <= points[0]["max_over_mean"]


def test_a_run_is_written_printed_and_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    peers = (FakePeer("equilag"), FakePeer("kip-169"), FakePeer("other", "not here"))
    monkeypatch.setattr(run, "PEERS", peers)
    out = tmp_path / "made" / "results.json"
    assert run.main(["--full", "--only", "^ramp/9 ", "--out", str(out)]) == 1
    results = json.loads(out.read_text("utf-8"))
    assert [found["case"] for found in results["cells"]] == [RAMP]
    assert results["versions"]["fake"] == "1.0"
    assert results["limits"] == {}
    assert list(results["cells"][0]["answers"]) == ["equilag", "other"]  # no case of a short run
    assert [one["mode"] for one in results["runs"].values()] == ["full"]
    monkeypatch.setattr(run, "MEASURED", ("cells",))
    assert run.main(["--full", "--resume", "--out", str(out)]) == 1
    assert len(peers[0].asked) == 1  # nothing is left to be measured
    said = capsys.readouterr()
    assert "MISSED mixed subscriptions: counts and moves" in said.out
    assert "without other: not here" in said.err
    assert run.main(["--only", "^nothing$", "--out", str(out)]) == 0


def test_a_list_is_drawn_planned_and_checked() -> None:
    small = perfect_lists.NumberList(60, 10**3, 7)
    dense = perfect_lists.NumberList(40, 41, 4)
    for one in (small, dense, *perfect_lists.GRID[:20]):
        for divides in (True, False):
            values = one.draw(3, divides)
            assert len(values) == one.numbers
            assert (values.sum() % one.members == 0) == divides
            assert len(np.unique(values)) >= one.numbers - 1
            assert 1 <= values.min() <= values.max() <= one.top
    rows = perfect_lists.measure(2, (small,))
    assert [row["solved"] for row in rows] == [True, True]
    assert rows[0]["optimum"] == rows[0]["spread"] == 0


def test_topics_that_count_one_by_one_are_planned_and_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shape = topic_balance.Shape(12, 30, 4, 3)
    case = shape.draw(2)
    group = case.group()
    assert len(group.class_topics) == 3
    assert (group.owner >= 0).all()
    monkeypatch.setattr(topic_balance, "LIMITS", (0.05, 0.1))
    monkeypatch.setattr(topic_balance, "EVEN_LIMIT", 0.15)
    found = topic_balance.measure(1, (shape,), (topic_balance.Shape(40, 10, 8, 1),))
    assert [row["even"] for row in found] == [False] * 4 + [True] * 2
    assert all(row["exact"] for row in found)


def test_limits_on_moves_are_planned_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(move_limits.cases())
    assert len({str(one) for one in every}) == len(every) == 72
    monkeypatch.setattr(move_limits, "LIMIT", 0.5)
    even = next(one for one in every if one.owners == "even" and one.distribution == "zipf")
    found = move_limits.measure(0.1, (even,))
    assert found[0]["max_moves"] == 2
    assert found[0]["above_percent"] >= 0
    assert not found[0]["problems"]


@answering
def one_gets_all(case: dict[str, Any]) -> dict[str, Any]:
    first, *others = (member["id"] for member in case["members"])
    everything = {topic: list(range(size)) for topic, size in case["topics"].items()}
    return {first: everything, **{name: {} for name in others}}


def test_every_group_is_planned_and_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity_groups, "LIMIT", 0.2)
    found = capacity_groups.measure((1,), sizes=((4, 12),), largest=(20, 200), published=(20, 200))
    fields = ["capacities, 3 racks", "none", f"3 racks, {capacity_groups.PUBLISHED}", "capacities"]
    assert [row["fields"] for row in found] == fields
    assert all(not row["findings"] for row in found)
    assert [row["status"] for row in found[:3]] == ["optimal"] * 3
    assert found[0]["cross_rack"] > 0
    assert found[3]["gap_percent"] >= 0


def test_peers_and_plans_are_measured_alike() -> None:
    peers = [FakePeer("one gets all", writes=one_gets_all), FakePeer("away", "not here")]
    found = rack_groups.measure(rack_groups.SHORT[:1], peers)
    by_name = {row["assignor"]: row for row in found}
    assert by_name["equilag assign range"]["cross_rack"] < by_name["equilag"]["cross_rack"]
    assert all(by_name[name]["counts_optimal"] for name in ("equilag", rack_groups.OWN))
    assert by_name[rack_groups.OWN]["fewest_cross_rack"] == 0
    assert not by_name["one gets all"]["counts_optimal"]


def test_less_changes_hands_than_published() -> None:
    (row,) = found = streams.measure(4, (5,))
    assert row["short_percent"] == 0 < row["r_score"] < streams.PUBLISHED[5][1]
    (target,) = (one for one in part_targets({"streams": found}) if one.name == "R-score")
    assert target.met
