"""Warnings of settings that others change, of racks, and of topics that belong together."""

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
    assert "a5, a6 and 13 more topics seem to be co-partitioned (the group's assignor" in text
    assert "(partition i of all has one owner, 1,100 of 1,200)" in text
    assert "; and 2 more such lists of topics: keep them together with" in text
    assert " with --co-partition and the names of all topics of each list, or plan" in text
    assert "…" not in text
    one = co_partition_warning(lists[:1])
    assert " with --co-partition and the names of all topics of the list, or plan" in one
    assert "\n" not in text
