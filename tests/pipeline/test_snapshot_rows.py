"""A row of `problems/` as a group: whatever the stages before leave, `Group.build` takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from support.groups import columns
from support.problem_rows import (
    LAST_MS,
    Row,
    member_row,
    problem_row,
    problems,
    topic_row,
    usual_problem,
)

from equilag import load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import QUALITY
from equilag.pipeline.sources.snapshot_rows import group_input, time_text

RESETS = ("latest", "earliest", "none")


def lag_of(row: Row, nth: int, reset: str) -> int:
    """The lag of the nth sampled partition of a topic, by Kafka's rules."""
    start, end, at = row["log_start"][nth], row["log_end"][nth], row["committed"][nth]
    if at is None:
        return 0 if reset == "latest" else int(end - start)
    return max(0, int(end - max(start, at)))


def places(group: Group) -> list[tuple[str, int]]:
    return [group.partition_name(p) for p in range(group.n_partitions)]


def test_a_usual_group() -> None:
    snapshot = snapshot_document(group_input(usual_problem()))
    a = {"log_start": [0] * 3, "log_end": [100, 200, 900], "committed": [90, 100, 100]}
    b = {"log_start": [0] * 4, "log_end": [50, 60, 0, 70], "committed": [50, None, None, 65]}
    assert snapshot == {
        "format": "equilag/snapshot/1",
        "group": "g",
        "taken_at": "2026-11-21T09:00:00.123000Z",
        "topics": {"a": 3, "b": 4},
        "subscriptions": {"all": ["a", "b"]},
        "members": [
            {"id": "m0", "subscription": "all", "owned": {"a": [0, 1, 2]}},
            {"id": "m1", "subscription": "all", "owned": {"b": [0, 1]}},
            {"id": "m2", "subscription": ["b"], "owned": {"b": [2, 3]}},
        ],
        "auto_offset_reset": "latest",
        "offsets": {"a": a, "b": b},
    }
    assert load_snapshot(snapshot).lag.tolist() == [10, 100, 800, 0, 0, 0, 5]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("rack", "r"), ("rack", ""), ("capacity", 2.5), ("instance_id", "i"), ("generation", 0),
        ("client_id", "c"), ("host", "/h"), ("max_partitions", 0), ("instance", "p"),
    ],
)  # fmt: skip
def test_what_is_known_of_a_member(column: str, value: Any) -> None:
    members = [member_row("m", ["t"], {}, **{column: value})]
    given = group_input(problem_row([topic_row("t", [0], [5])], members))
    assert snapshot_document(given)["members"][0][column] == value
    assert getattr(Group.build(**given).members[0], column) == value


def test_racks_of_partitions() -> None:
    row = {**topic_row("t", [0, 2, 3], [5, 5, 5]), "racks": [["r", None, "s"], None, []]}
    bare = {**topic_row("u", [0], [5]), "racks": [None]}
    given = group_input(problem_row([row, bare], [member_row("m", ["t"])]))
    assert given["racks"] == {"t": [["r", "s"], [], [], []]}
    assert Group.build(**given).racks == (("r", "s"), (), (), (), ())
    assert "racks" not in group_input(problem_row([bare], []))
    assert "racks" not in group_input(usual_problem())


@given(problems())
def test_every_row_is_accepted_and_means_the_same(problem: Row) -> None:
    before = json.dumps(problem)
    for weight, reset in [("lag", reset) for reset in RESETS] + [("rate", "latest")]:
        given = group_input(problem, weight, reset)
        group = Group.build(**given)
        # As a file too: nothing of Python's own is left in it.
        again = load_snapshot(json.loads(json.dumps(snapshot_document(given))))
        assert columns(again) == columns(group)
        assert group.name == problem["group"]
        assert [member.id for member in group.members] == [m["member"] for m in problem["members"]]
        expected = {}
        for row in problem["topics"]:
            for nth, number in enumerate(row["partitions"]):
                value = lag_of(row, nth, reset) if weight == "lag" else row["weights"][nth]
                expected[row["topic"], number] = value
        lags = dict(zip(places(group), group.lag.tolist(), strict=True))
        assert lags == {place: expected.get(place, 0) for place in lags}
        assert expected.keys() <= lags.keys()
        assert {QUALITY[mark] for mark in group.quality} <= set(QUALITY)
        for place, owner in zip(places(group), group.owner.tolist(), strict=True):
            if owner != NOBODY:
                holder = problem["members"][owner]
                claims = {held["key"]: held["value"] for held in holder["owned"]}
                assert place[1] in claims[place[0]]
                assert place[0] in holder["subscription"]
    assert json.dumps(problem) == before


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (LAST_MS, "2026-11-21T09:00:00.123000Z"),
        (LAST_MS - 123, "2026-11-21T09:00:00Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999000Z"),
    ],
)
def test_times(ms: int, text: str) -> None:
    assert time_text(ms) == text
    problem = {**problem_row([topic_row("t", [0], [1])], []), "last_ms": ms}
    assert Group.build(**group_input(problem)).taken_at == text
