"""Settings on the command line: of extended groups, and warnings of what changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.groups import snapshot_of, with_members

from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.planner.facts.setting_warnings import co_partition_warning, setting_warnings

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


GROUP = Group.build(
    name="g",
    topics={"a": 2, "b": 2, "c": 2},
    members=["m-0", "m-1", "n"],
    subscriptions={member: ["a", "b", "c"] for member in ("m-0", "m-1", "n")},
    co_partitioned=[["a", "b"]],
)
RACKS = (
    "--max-cross-rack: is only checked beside --rack-aware, which reads as few partitions across"
    " racks as even counts allow"
)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({"rack_aware": True}, []),
        ({"max_cross_rack": 3}, []),
        ({"rack_aware": True, "max_cross_rack": 3}, [RACKS]),
        ({"capacity": ["*=1", "m-*=2"]}, []),
        (
            {"capacity": ["m-0=3", "m-*=2", "n=4", "*=1", "gone=5"]},
            [
                f"--capacity: {entry} serves nobody; later entries match all of its members"
                for entry in ("m-0=3", "m-*=2", "n=4")
            ],
        ),
        ({"horizon": 60}, ["--horizon: has no effect; what is spread is lag"]),
        ({"horizon": 60, "weight": "work"}, []),
        ({"keep": ["c", "a", "b"]}, []),
        ({"keep": ["b"]}, ["--keep: b holds a as well, because they are co-partitioned"]),
        ({"keep": ["b"], "co_partition": "none"}, []),
        (
            {"keep": ["c"], "co_partition": ["a,b,c"]},
            ["--keep: c holds a, b as well, because they are co-partitioned"],
        ),
    ],
)
def test_what_other_settings_change(settings: dict[str, Any], expected: list[str]) -> None:
    assert [*setting_warnings(GROUP, Policy(**settings))] == expected


@pytest.fixture
def warned(run) -> Callable[..., str]:
    """Run a command that succeeds at once; what it says on standard error."""

    def call(command: str, *argv: object) -> str:
        status, out, err = run(command, *argv, "--effort", 0.01, "--time-limit", 20, "--json")
        assert status == 0
        assert json.loads(out)
        said: str = err
        return said

    return call


def racked(racks: list[str], replicas: list[list[str]] | None) -> dict[str, Any]:
    """Two members with these racks, and a topic of four partitions with replicas there."""
    snapshot: dict[str, Any] = snapshot_of([4], [[0]] * len(racks), lags=[0] * 4)
    with_members(snapshot, rack=(rack or None for rack in racks))
    return snapshot if replicas is None else {**snapshot, "racks": {"t00": replicas}}


@pytest.mark.parametrize(
    ("option", "racks", "replicas", "unknown"),
    [
        (["--rack-aware"], ["", ""], [["x"]] * 4, "no member's rack is known"),
        (["--rack-aware"], ["x", ""], None, "no partition's racks are known"),
        (["--max-cross-rack", "3"], ["", ""], None, "no member's rack is known"),
    ],
)
def test_settings_that_change_nothing(write, warned, option, racks, replicas, unknown) -> None:
    path = write(**racked(racks, replicas))
    assert warned("plan", path, *option) == f"equilag: {option[0]} changes nothing: {unknown}\n"
    assert warned("plan", path) == ""


def test_a_rack_without_replicas_is_named_with_a_guess(write, warned) -> None:
    ids = ["eu-1a", "eu-1x", "eu-1x", "eu-1x", ""]
    err = warned("plan", write(**racked(ids, [["eu-1a"], ["eu-1b"]] * 2)), "--rack-aware")
    line = 'no partition has a replica in "eu-1x", the rack of "m01", "m02" and 1 more'
    assert err.startswith(f'equilag: {line}, did you mean "eu-1')
    assert err.count("\n") == 1
    path = write(**racked(["eu-1a", "eu-1b"], [["eu-1a"], ["eu-1b"]] * 2))
    assert warned("plan", path, "--rack-aware") == ""


JOINED = snapshot_of([12, 12, 5], [[0, 1, 2]] * 4, [*(n // 3 for n in range(12))] * 2, [0] * 29)
TOGETHER = {**JOINED, "co_partitioned": [["t00", "t01"]]}
LINE = (
    "equilag: t00 and t01 seem to be co-partitioned (partition i of both has one owner, 12 of 12):"
    " keep them together with --co-partition t00,t01, or plan without with --co-partition none\n"
)


@pytest.mark.parametrize("command", ["plan", "compare", "frontier"])
def test_commands_that_plan_warn_of_topics_that_belong_together(
    write, warned, command: str
) -> None:
    assert warned(command, write(**JOINED)) == LINE


def test_none_plans_without_lists_and_without_the_warning(
    run, document, write, tmp_path: Path
) -> None:
    quick = ("--co-partition", "none", "--time-limit", 20, "--effort", 0.02, "--pin", "t00-0=m03")
    plan, joined = document("plan", write(**JOINED), *quick), write(**TOGETHER)
    same = document("plan", joined, *quick)
    assert plan["assignment"] == same["assignment"]
    assert plan["policy"]["co_partition"] == "none"
    held = plan["assignment"].values()
    assert any(topics.get("t00") != topics.get("t01") for topics in held)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(same))
    assert run("verify", joined, path).status == 0


def test_many_lists_and_long_ones_stay_one_line() -> None:
    lists = [
        CoPartitionedTopics(tuple(f"{name}{n}" for n in range(20)), 1200, 1100, name == "a")
        for name in "abcde"
    ]
    text = co_partition_warning(lists)
    assert "a5, a6 and 13 more seem to be co-partitioned (the group's assignor" in text
    assert "(partition i of all has one owner, 1,100 of 1,200)" in text
    assert "; and 2 more such lists of topics: keep them together with" in text
    assert " with --co-partition and the names of all topics of each list, or plan" in text
    assert "…" not in text
    one = co_partition_warning(lists[:1])
    assert " with --co-partition and the names of all topics of the list, or plan" in one
    assert "\n" not in text
