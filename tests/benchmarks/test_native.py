"""The runners in Java and Go: how they are built, and that every assignor in them works."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.assignor_cases import case_of, ran

from benchmarks.assignors.case import Case, Racks
from benchmarks.assignors.evaluate import evaluate
from benchmarks.assignors.exchange import PeerAnswer
from benchmarks.assignors.native import NoRunner, go_runner, java_runner
from benchmarks.assignors.peers import PEERS, RACK_PEERS, CallBudget, Peer
from equilag.planner.assign import assign

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
