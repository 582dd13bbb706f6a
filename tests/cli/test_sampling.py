"""`--sample`: what it puts into a group, and what it says."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.sampled_readers import MEMBERS, FakeReader, member, sampling_clock

from equilag.adapters.kafka import group_reader
from equilag.adapters.kafka.described import NoAnswer
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.lag import QUALITY

LIVE = ("--bootstrap-server", "localhost:1", "--group", "g")
SAMPLE = ("--sample", "20s")
UNKNOWN = (
    "the lag of 1 partition without a commit is unknown and counts as 0; set --auto-offset-reset"
)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> FakeReader:
    """The reader that the commands use; only sleeping moves the clock."""
    return use(monkeypatch, FakeReader([*MEMBERS, member("c")]))


def use(monkeypatch: pytest.MonkeyPatch, fake: FakeReader) -> FakeReader:
    sampling_clock(monkeypatch)
    monkeypatch.setattr(group_reader, "GroupReader", lambda *_, **__: fake)
    return fake


def test_a_snapshot_with_rates_and_capacities(run: Any, reader: FakeReader) -> None:
    done = run("snapshot", *LIVE, *SAMPLE)
    document = json.loads(done.out)
    assert document["rates"] == {"orders": [100.0, 100.0, 100.0]}
    assert [one.get("capacity") for one in document["members"]] == [80.0, None, None]
    assert document["unknown_lags"] == {"orders": [2]}
    assert reader.asked == ["read", *["lags"] * 19, "read"]
    said = [line.removeprefix("equilag: ") for line in done.err.splitlines()]
    assert said[0].startswith(
        "21 samples in 20 s: 3 rates, 300 records/s in all; 1 capacity, 80 records/s, each"
    )
    assert said[1:] == [
        "1 member committed less than twice: its speed is unknown",
        "1 member had no partitions: its speed is unknown",
        UNKNOWN,
    ]


def test_a_plan_and_the_snapshot_that_it_saves(
    run: Any, reader: FakeReader, tmp_path: Path
) -> None:
    saved = tmp_path / "s.json"
    done = run("plan", *LIVE, *SAMPLE, "--save-snapshot", saved, "--effort", "0.01", "--json")
    assert done.status == 0
    group = load_snapshot(str(saved))
    assert group.rates.tolist() == [100.0] * 3
    assert [one.capacity for one in group.members] == [80.0, None, None]
    assert [QUALITY[mark] for mark in group.quality] == ["ok", "ok", "unknown"]
    assert json.loads(done.out)["weight"]["kind"] == "work"


def test_a_report_says_what_changed_meanwhile(run: Any, reader: FakeReader) -> None:
    done = run("report", *LIVE, *SAMPLE, "--effort", "0.01", "--json")
    before, after = json.loads(done.out)["moments"]
    (change,) = json.loads(done.out)["changes"]
    assert (before["members"], after["members"]) == (3, 3)
    # Two of three partitions have commits, and 60 records more with each of 20 readings.
    assert change["lag"] == after["total_lag"] - before["total_lag"] == 2 * 60 * 20
    assert [one["partition"] for one in change["grown"]] == [0, 1]
    course = json.loads(done.out)["course"]
    assert [one["after_s"] for one in course] == [*range(21)]
    assert (course[0]["lag"], course[-1]["lag"]) == (before["total_lag"], after["total_lag"])
    assert {b["lag"] - a["lag"] for a, b in pairwise(course)} == {2 * 60}


@pytest.mark.parametrize(("reset", "lag"), [("latest", 0), ("earliest", 100), ("none", 100)])
def test_a_reset_that_is_given_settles_the_lag(
    run: Any, reader: FakeReader, reset: str, lag: int
) -> None:
    done = run("snapshot", *LIVE, "--auto-offset-reset", reset)
    assert done.err == ""
    group = load_snapshot(json.loads(done.out))
    assert (int(group.lag[2]), QUALITY[group.quality[2]]) == (lag, "no_commit")


def test_a_group_that_nobody_consumes(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = {4: NoAnswer("the broker is away"), 7: NoAnswer("still away")}
    use(monkeypatch, FakeReader([member("a", 0, 1, 2)], failures, consumed=0))
    done = run("snapshot", *LIVE, *SAMPLE)
    said = [line.removeprefix("equilag: ") for line in done.err.splitlines()]
    assert said[0].startswith("19 samples in 20 s: 3 rates, ")
    assert said[0].endswith(" records/s in all; 0 capacities")
    assert said[1:3] == [
        "2 samples could not be read: the broker is away",
        "1 member committed less than twice: its speed is unknown",
    ]


def test_a_member_that_keeps_up_with_more_than_the_others_can(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = use(monkeypatch, FakeReader())
    plain = fake._next

    def next_offsets(what: str) -> Any:
        offsets = plain(what)
        offsets.committed["orders"][2] = offsets.log_end["orders"][2]
        return offsets

    monkeypatch.setattr(fake, "_next", next_offsets)
    done = run("snapshot", *LIVE, *SAMPLE)
    assert "equilag: 1 member did not always have a backlog: its speed is unknown\n" in done.err
    assert done.err.endswith(
        "equilag: 1 member of unknown speed consumes more than 80 records/s, the median of the"
        " known speeds: what it consumes counts as its capacity\n"
    )
    assert [one.get("capacity") for one in json.loads(done.out)["members"]] == [80.0, 100.0]


def test_a_rebalance_in_between(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = use(monkeypatch, FakeReader())

    def lags(*_: object) -> Any:
        reader._members = [member("a", 0), member("b", 1, 2)]
        return reader._next("lags")

    monkeypatch.setattr(reader, "lags", lags)
    done = run("snapshot", *LIVE, *SAMPLE)
    assert "equilag: the group rebalanced while it was sampled\n" in done.err
    assert "equilag: 2 members changed partitions: their speed is unknown\n" in done.err
    assert json.loads(done.out)["rates"] == {"orders": [100.0] * 3}


def test_ctrl_c_writes_nothing(run: Any, reader: FakeReader, tmp_path: Path, monkeypatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    sampling_clock(monkeypatch, interrupt)
    done = run("plan", *LIVE, *SAMPLE, "--save-snapshot", tmp_path / "s", "--out", tmp_path / "p")
    assert done == (130, "", "")
    assert not list(tmp_path.iterdir())
