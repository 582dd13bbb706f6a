"""The exchange of cases and results with runners; no failure of a runner ends the benchmark."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.assignor_cases import case_of, ran
from support.run_limit import name_of

from benchmarks.assignors.case import Case, Racks
from benchmarks.assignors.evaluate import evaluate
from benchmarks.assignors.exchange import (
    PeerAnswer,
    PeerFailure,
    read_answer,
    write_answer,
    write_case,
)
from benchmarks.assignors.native import NoRunner, go_runner, java_runner
from benchmarks.assignors.peers import PEERS, RACK_PEERS, CallBudget, Peer
from benchmarks.waiting import until
from equilag.planner.assign import assign

QUICK = CallBudget(0.0, 0.0, 30.0, 30.0)
GOOD: dict[str, Any] = {
    "assign_ms": [1.5, 2, 4.0],
    "names_ms": [1, 1, 7],
    "warm_up": 2,
    "peak_mib": None,
    "extra": {"rounds": 2},
    "version": "somebody 1.0",
    "assignment": {"a": {"x": [0, 1]}, "b": {}},
}
RUNNER = """
import json, os, subprocess, sys, time
case, assignor, out, warm, measure = sys.argv[1:]
print("call", flush=True)
{body}
"""


def small(lag: bool = False) -> Case:
    """Two subscriptions, an odd name, a topic without owners, a member that has just joined."""
    subscriptions, owner = ((0,), (0, 1)), [0, 0, 0, 1, -1, -1]
    case = case_of((4, 2), subscriptions, (0, 1, 1), owner, range(6) if lag else None)
    return replace(case, members=("a", 'b "ü"', "c"), topics=("x", "y z"), time_limit=2.0)


def runner(tmp_path: Path, body: str) -> Peer:
    script = tmp_path / "runner.py"
    script.write_text(RUNNER.format(body=body), "utf-8")
    return Peer("fake", "python", lambda: (sys.executable, str(script)))


@pytest.mark.parametrize("lag", [False, True])
def test_a_case_is_written_in_plain_names(tmp_path: Path, lag: bool) -> None:
    write_case(small(lag), tmp_path / "case.json")
    assert json.loads((tmp_path / "case.json").read_text("utf-8")) == {
        "topics": {"x": 4, "y z": 2},
        "subscriptions": [["x"], ["x", "y z"]],
        "members": [
            {"id": "a", "subscription": 0, "owned": {"x": [0, 1, 2]}, "rack": ""},
            {"id": 'b "ü"', "subscription": 1, "owned": {"x": [3]}, "rack": ""},
            {"id": "c", "subscription": 1, "owned": {}, "rack": ""},
        ],
        "generation": 7,
        "lags": {"x": [0, 1, 2, 3], "y z": [4, 5]} if lag else None,
        "racks": None,
        "time_limit_s": 2.0,
    }


def test_an_answer_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text(json.dumps(GOOD), "utf-8")
    answer = read_answer(file)
    assert isinstance(answer, PeerAnswer)
    assert (answer.milliseconds, answer.names_milliseconds) == (2, 1)
    assert answer.assignment == GOOD["assignment"]
    write_answer(answer, file)
    assert read_answer(file) == answer
    write_answer(PeerFailure("it burst", "1.0"), file)
    assert read_answer(file) == PeerFailure("it burst", "1.0")


def test_a_runner_that_fails_or_says_nothing_is_a_failure(tmp_path: Path) -> None:
    answer = ran(runner(tmp_path, "sys.exit('the heap is full')"), small(), tmp_path, QUICK)
    assert answer == PeerFailure("ended with status 1: the heap is full")
    (tmp_path / "out.json").write_text(json.dumps(GOOD), "utf-8")  # left by an earlier run
    answer = ran(runner(tmp_path, "print('end')"), small(), tmp_path, QUICK)
    assert answer == PeerFailure("wrote no result")


def test_a_call_that_takes_too_long_is_ended_with_all_its_processes(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    body = (
        f"child = subprocess.Popen(['sleep', '60'])\nopen({str(pid)!r}, 'w').write(str(child.pid))"
    )
    peer = runner(tmp_path, body + "\ntime.sleep(60)")
    with pytest.raises(subprocess.TimeoutExpired):
        ran(peer, small(), tmp_path, CallBudget(0, 0, 1.0, 30.0))
    until(lambda: not name_of(int(pid.read_text())), 10)


@pytest.mark.parametrize(
    ("name", "moves"), [("equilag", 1), ("kip-169", None), ("kafka-python-sticky", 1)]
)
def test_assignors_in_python_answer_with_valid_assignments(
    tmp_path: Path, name: str, moves: int | None
) -> None:
    (peer,) = (peer for peer in PEERS if peer.name == name)
    answer = ran(peer, small(), tmp_path, QUICK)
    assert isinstance(answer, PeerAnswer)
    assert answer.version
    figures = evaluate(small(), answer.assignment)
    assert figures.valid, figures.problems
    if moves is not None:
        assert (figures.moves, figures.counts.tolist()) == (moves, [2, 2, 2])


# The runners in Java and Go: how they are built, and that every assignor in them works.

FOREIGN = [peer for peer in PEERS if peer.family in ("java", "go")]
STICKY = {peer.name for peer in FOREIGN} - {"range", "round-robin"}
BUDGET = CallBudget(0.05, 0.05)
JAVA_17 = "#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n"


def tool(folder: Path, name: str, script: str) -> Path:
    """Write an executable script into a folder."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(script, "utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def test_missing_tools_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", str(bin_folder))
    with pytest.raises(NoRunner, match="Java 17 or newer is not on PATH"):
        java_runner(tmp_path / "cache")
    tool(bin_folder, "java", "#!/bin/sh\necho 'java version \"11.0.2\"' >&2\n")
    with pytest.raises(NoRunner, match="Java 17 or newer is not on PATH"):
        java_runner(tmp_path / "cache")
    tool(bin_folder, "java", JAVA_17)
    with pytest.raises(NoRunner, match="Maven is not on PATH"):
        java_runner(tmp_path / "cache")
    with pytest.raises(NoRunner, match="Go is not on PATH"):
        go_runner(tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir()), "nothing half-built is left"


def incremental(mixed: bool) -> Case:
    """Four owners of 24 partitions in 4 topics, and a fifth member that joins."""
    subscriptions = ((0, 1, 2, 3), (0, 1, 2)) if mixed else ((0, 1, 2, 3),)
    case = case_of((6,) * 4, subscriptions, (0, 0, 0, 0, mixed), np.repeat(np.arange(4), 6))
    return replace(case, topics=("t 0", "t 1", "t 2", "t 3"))


@pytest.mark.long
@pytest.mark.parametrize("mixed", [False, True], ids=["one", "mixed"])
@pytest.mark.parametrize("peer", FOREIGN, ids=lambda peer: peer.name)
def test_an_assignor_gives_everything_to_subscribers(
    tmp_path: Path, peer: Peer, mixed: bool
) -> None:
    answer = ran(peer, incremental(mixed), tmp_path, BUDGET)
    assert isinstance(answer, PeerAnswer)
    assert answer.version not in ("", "kafka", "franz-go")
    assert len(answer.assign_ms) >= 3
    assert answer.warm_up >= 1
    figures = evaluate(incremental(mixed), answer.assignment)
    assert figures.valid, figures.problems
    if peer.name in STICKY:
        assert figures.counts.tolist() == [4, 5, 5, 5, 5]
        if not mixed:  # with mixed subscriptions some of them move more than they must
            assert figures.moves == 4
    assert answer.extra["rounds"] == (2 if "cooperative" in peer.name else 1)


def racked() -> Case:
    """Every partition has one replica, in the rack of one of three members."""
    of_partition = tuple((f"r{number * number % 3}",) for number in range(14))
    racks = Racks(("r1", "r0", "r2", ""), of_partition)
    return replace(case_of((8, 6), ((0, 1),), (0,) * 4), racks=racks)


@pytest.mark.long
@pytest.mark.parametrize("peer", RACK_PEERS, ids=lambda peer: peer.name)
def test_racks_are_taken_into_account(tmp_path: Path, peer: Peer) -> None:
    found = {}
    for case in (racked(), replace(racked(), racks=None)):
        answer = ran(peer, case, tmp_path, BUDGET)
        assert isinstance(answer, PeerAnswer)
        figures = evaluate(racked(), answer.assignment)
        assert figures.valid
        found[case.racks is None] = figures.cross_rack
        if case.racks is not None and peer.name == "range":
            assert answer.assignment == {
                member: {topic: numbers for topic, numbers in topics.items() if numbers}
                for member, topics in assign(case.group(), "range").assignment.items()
            }
    assert found[False] < found[True]
