"""`equilag verify`: exit statuses, findings, and on what a plan rests."""

from __future__ import annotations

import json
from typing import Any

import pytest


@pytest.fixture
def made(run, write, tmp_path):
    """A snapshot and its plan."""
    snapshot, plan = write(), tmp_path / "plan.json"
    assert run("plan", snapshot, "--time-limit", 1, "--out", plan).status == 0
    return snapshot, plan


def test_a_good_plan(run, made) -> None:
    status, out, err = run("verify", *made)
    assert (status, err) == (0, "")
    *lines, last = out.splitlines()
    assert all(line.startswith("holds") for line in lines)
    claims = json.loads(made[1].read_text("utf-8"))["certificate"]["claims"]
    assert last == f"OK: valid; {len(claims)} of {len(claims)} claims re-proved"
    for claim in claims:
        assert f"{claim['claim']} {claim['value']} ({claim['kind']})" in out


def test_every_finding_on_an_altered_plan_is_a_line(run, made) -> None:
    snapshot, path = made
    plan = json.loads(path.read_text("utf-8"))
    plan["lag"]["spread"] += 1
    plan["surprise"] = 1
    path.write_text(json.dumps(plan), "utf-8")
    result = run("verify", snapshot, path)
    assert (result.status, result.err) == (1, "")
    lines = result.out.splitlines()
    for place in ("lag.spread", "surprise"):
        assert any(line.startswith(f"does not hold: {place}") for line in lines)
    assert all(line.startswith("does not hold: ") for line in lines)


def test_a_plan_of_another_group(run, made, write) -> None:
    other = write("other.json", members=[{"id": "x", "subscription": ["orders"]}])
    result = run("verify", other, made[1])
    assert result.status == 1
    line = 'assignment: 3 of 3 members of the plan are not in the group, such as "a"'
    assert result.out == f"does not hold: {line}\n"
    other = write("other.json", group="payments-service")
    result = run("verify", other, made[1])
    line = 'the plan is of group "orders-service", the snapshot of group "payments-service"'
    assert (result.status, result.out) == (1, f"does not hold: group: {line}\n")


def ruled(**fields: Any) -> dict[str, Any]:
    """A group with rules that assignors break: rack, room, units, and who may read a partition."""
    members = [{"id": f"m{n}", "subscription": ["a", "b"], **fields} for n in range(2)]
    members[0].update({"max_partitions": 1, "capacity": 40})
    members[1]["owned"] = {"a": [0, 1], "b": [0]}
    return {
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 2, "b": 2},
        "members": members, "lags": {"a": [400, 80], "b": [40, 0]},
        "allowed": {"b": {"0": ["m1"]}}, "co_partitioned": [["a", "b"]],
    }  # fmt: skip


def test_a_heuristic_that_breaks_rules(run, write, tmp_path) -> None:
    snapshot, plan = write(**ruled(capacity=10)), tmp_path / "plan.json"
    status, out, _ = run("assign", snapshot, "--assignor", "sticky", "--out", plan)
    words = "tears 2 units of co-partitioned topics apart, 1 member above its room"
    words += ", 1 partition with a member that may not take it"
    assert status == 0
    assert words in " ".join(out.split())
    status, out, _ = run("verify", snapshot, plan)
    *_, broken, last = out.splitlines()
    assert (status, broken) == (0, f"! {words}")
    assert last.startswith("OK as a heuristic's plan, but it breaks rules of the group; ")
    numbers = {"torn_units": 2, "misplaced": 1, "overfull": 1}
    assert json.loads(run("verify", snapshot, plan, "--json").out)["breaks"] == numbers
    run("plan", snapshot, "--effort", 0.01, "--out", plan)
    assert "breaks" not in json.loads(run("verify", snapshot, plan, "--json").out)


def test_claims_have_their_unit(run, write, tmp_path) -> None:
    snapshot, plan = write(**ruled(capacity=10)), tmp_path / "plan.json"
    run("plan", snapshot, "--effort", 0.01, "--out", plan)
    status, out, _ = run("verify", snapshot, plan)
    assert status == 0
    assert "counts 1 unit (residual)" in out
    claims = json.loads(plan.read_text("utf-8"))["certificate"]["claims"]
    (high,) = (c["value"] for c in claims if c["claim"] == "max_load_at_least")
    # The largest capacity is 40: a claim's load is 40 times one per unit of capacity.
    assert f"max_load_at_least {high} at the largest capacity, {high / 40:g} per unit" in out


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("[]", "a list, not an object"),
        ("{}", "format"),
        ('{"format": "equilag/snapshot/1"}', "a snapshot; a plan is required"),
        ('{"format": "equilag/plan/1", "format": "equilag/plan/1"}', "duplicate key"),
    ],
)
def test_what_is_no_plan(refused, write, tmp_path, text, problem) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text, "utf-8")
    said = refused("verify", write(), path)
    assert said.startswith(f"{path}: ")
    assert problem in said


def test_a_missing_plan(refused, write, tmp_path) -> None:
    assert "none: cannot be read" in refused("verify", write(), tmp_path / "none")
