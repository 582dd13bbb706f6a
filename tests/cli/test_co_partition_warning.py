"""The warning that a plan would tear topics apart which belong together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.groups import snapshot_of

from equilag.cli.setting_warnings import co_partition_warning
from equilag.domain.group.co_partitioning import CoPartitionedTopics

JOINED = snapshot_of([12, 12, 5], [[0, 1, 2]] * 4, [*(n // 3 for n in range(12))] * 2)
LINE = (
    "equilag: t00 and t01 seem to be co-partitioned (partition i of both has one owner, 12 of 12):"
    " keep them together with --co-partition t00,t01, or plan without with --co-partition none\n"
)


def written(folder: Path, snapshot: dict[str, Any]) -> Path:
    path = folder / "snapshot.json"
    path.write_text(json.dumps(snapshot))
    return path


@pytest.mark.parametrize("command", ["plan", "compare", "frontier"])
def test_commands_that_plan_warn_in_one_line(run, tmp_path: Path, command: str) -> None:
    path = written(tmp_path, JOINED)
    status, out, err = run(command, path, "--time-limit", 0.2, "--json")
    assert (status, err) == (0, LINE)
    assert json.loads(out)


def test_who_says_what_belongs_together_is_not_warned(run, tmp_path: Path) -> None:
    path = written(tmp_path, JOINED)
    assert run("plan", path, "--co-partition", "t00,t01", "--json").err == ""
    path = written(tmp_path, {**JOINED, "co_partitioned": [["t00", "t01"]]})
    assert run("plan", path, "--json").err == ""
    assert run("assign", path, "--assignor", "range", "--json").err == ""


@pytest.mark.parametrize("command", ["plan", "compare", "frontier"])
def test_none_plans_without_lists_and_without_the_warning(run, tmp_path, command) -> None:
    quick = ("--time-limit", 20, "--effort", 0.02, "--json", "--pin", "t00-0=m03")
    plain = written(tmp_path, JOINED)
    status, out, err = run(command, plain, "--co-partition", "none", *quick)
    assert (status, err) == (0, "")
    joined = written(tmp_path, {**JOINED, "co_partitioned": [["t00", "t01"]]})
    status, again, err = run(command, joined, "--co-partition", "none", *quick)
    assert (status, err) == (0, "")
    if command == "plan":
        plan, same = json.loads(out), json.loads(again)
        assert plan["assignment"] == same["assignment"]
        assert plan["policy"]["co_partition"] == "none"
        held = plan["assignment"].values()
        assert any(topics.get("t00") != topics.get("t01") for topics in held)
        path = tmp_path / "plan.json"
        path.write_text(again)
        assert run("verify", joined, path).status == 0
    error = run(command, joined, "--co-partition", "none", "--co-partition", "t00,t01").err
    assert "--co-partition: none does not go with another value" in error


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
