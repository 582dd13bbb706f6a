"""`equilag verify`: exit statuses, findings, and on what a plan rests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
import zstandard


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


def swap(plan: dict[str, Any]) -> None:
    first, second = plan["assignment"]["a"], plan["assignment"]["b"]
    plan["assignment"]["a"], plan["assignment"]["b"] = second, first


def lose(plan: dict[str, Any]) -> None:
    topic = next(iter(plan["assignment"]["a"]))
    plan["assignment"]["a"][topic].pop()


def spread(plan: dict[str, Any]) -> None:
    plan["lag"]["spread"] += 1


def status(plan: dict[str, Any]) -> None:
    plan["status"] = "feasible" if plan["status"] == "optimal" else "optimal"


def bound(plan: dict[str, Any]) -> None:
    for claim in plan["certificate"]["claims"]:
        claim["value"] += 1


def field(plan: dict[str, Any]) -> None:
    plan["surprise"] = 1


@pytest.mark.parametrize(
    ("alter", "place"),
    [
        (swap, "lag.by_member"),
        (lose, "assignment"),
        (spread, "lag.spread"),
        (status, "status"),
        (bound, "certificate.claims[0]"),
        (field, "surprise"),
    ],
)
def test_an_altered_plan(run, made, alter: Callable[[dict[str, Any]], None], place) -> None:
    snapshot, path = made
    plan = json.loads(path.read_text("utf-8"))
    alter(plan)
    path.write_text(json.dumps(plan), "utf-8")
    result = run("verify", snapshot, path)
    assert (result.status, result.err) == (1, "")
    lines = result.out.splitlines()
    assert lines
    assert all(line.startswith("does not hold: ") for line in lines)
    assert any(line.startswith(f"does not hold: {place}") for line in lines)


def test_a_plan_of_another_group(run, made, write) -> None:
    other = write("other.json", members=[{"id": "x", "subscription": ["orders"]}])
    result = run("verify", other, made[1])
    assert result.status == 1
    assert "'a' is not a member of the group" in result.out


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("{", "line 1"),
        ("[]", "a list, not an object"),
        ("3", "an integer, not an object"),
        ("{}", "format"),
        ('{"format": "equilag/snapshot/1"}', "format: "),
        ('{"format": "equilag/plan/1", "format": "equilag/plan/1"}', "duplicate key"),
    ],
)
def test_what_is_no_plan(run, write, tmp_path, text, problem) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text, "utf-8")
    status, out, err = run("verify", write(), path)
    assert (status, out) == (2, "")
    assert err.startswith(f"equilag: {path}: ")
    assert problem in err
    assert err.count("\n") == 1


def test_a_missing_plan(run, write, tmp_path) -> None:
    status, _, err = run("verify", write(), tmp_path / "none")
    assert status == 2
    assert "none: cannot be read" in err


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_plan(run, made, pack) -> None:
    snapshot, path = made
    path.write_bytes(pack(path.read_bytes()))
    assert run("verify", snapshot, path).status == 0


def test_json(run, made) -> None:
    document = json.loads(run("verify", *made, "--json").out)
    assert document["holds"] is True
    assert len(document["proved"]) > 1
    assert (document["group"], document["findings"]) == ("orders-service", [])
