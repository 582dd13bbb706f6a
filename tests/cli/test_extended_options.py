"""The options of extended groups: what they do to a plan, and errors that name them."""

from __future__ import annotations

import json
from typing import Any

import pytest

SNAPSHOT: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "topics": {"a-b": 4, "c": 4},
    "members": [
        {"id": "m-0", "subscription": ["a-b", "c"], "host": "/h0", "owned": {"a-b": [0, 1, 2]}},
        {"id": "m-1", "subscription": ["a-b", "c"], "host": "/h1", "client_id": "one"},
        {"id": "m-2", "subscription": ["c"], "host": "/h1"},
    ],
    "lags": {"a-b": [5, 6, 7, 8], "c": [1, 2, 3, 4]},
}
QUICK = ("--time-limit", 20, "--effort", 0.05)


@pytest.fixture
def snapshot(write) -> str:
    return str(write(**SNAPSHOT))


def test_a_plan_keeps_to_its_settings_and_verifies(
    run, document, refused, snapshot, tmp_path
) -> None:
    path = tmp_path / "plan.json"
    options = ["--pin", "a-b-0=one", "--pin", "c-3=m-0", "--capacity", "m-*=2", *QUICK]
    said = refused("plan", snapshot, *options, "--keep", "a-b")
    assert said.startswith('--keep: "m-0" owns a-b-0, which is pinned or allowed to others only')
    plan = document("plan", snapshot, *options, "--out", path)
    assert 0 in plan["assignment"]["m-1"]["a-b"]
    assert 3 in plan["assignment"]["m-0"]["c"]
    settings = {"pin": ["a-b-0=one", "c-3=m-0"], "capacity": ["m-*=2"]}
    assert plan["policy"].items() >= settings.items()
    assert run("verify", snapshot, path).status == 0
    plan["policy"]["pin"] = ["a-b-0=m-0"]
    path.write_text(json.dumps(plan), "utf-8")
    assert run("verify", snapshot, path).status == 1


@pytest.mark.parametrize("command", ["plan", "compare", "frontier"])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--co-partition", "a-b,d"], '--co-partition: "d" is not in topics'),
        (["--pin", "a-b-0=m-3"], "--pin: no member has the id, instance id or client id"),
        (["--keep", "ab"], '--keep: there is no topic "ab", did you mean "a-b"?'),
    ],
)
def test_what_does_not_fit_the_group_names_the_option(
    refused, snapshot, command, options, problem
) -> None:
    assert problem in refused(command, snapshot, *QUICK, *options)


@pytest.mark.parametrize("command", ["plan", "compare", "frontier"])
def test_too_little_room_is_reported_where_it_is_given(refused, write, command) -> None:
    members = [{"id": f"m-{n}", "subscription": ["a", "b", "c"]} for n in range(2)]
    group = {"topics": {"a": 3, "b": 3, "c": 1}, "lags": {}, "co_partitioned": [["a", "b"]]}
    problem = (
        "4 units of a+b, c, but m-0, m-1 have room for 2; a unit is one partition number of all"
        " topics that are co-partitioned, or any other partition"
    )
    path = write(**group, members=members)
    said = refused(command, path, *QUICK, "--max-partitions", 1)
    assert said == f"--max-partitions: {problem}"
    path = write(**group, members=[{**member, "max_partitions": 1} for member in members])
    assert refused(command, path, *QUICK) == f"max_partitions: {problem}"
    full = {**members[0], "owned": {"a": [0, 1]}, "max_partitions": 1}
    path = write(**group, members=[full, members[1]])
    said = refused(command, path, *QUICK, "--policy", "sticky-yet-fair")
    assert said.startswith("members[0].max_partitions: 'm-0")
