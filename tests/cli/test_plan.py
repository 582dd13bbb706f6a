"""`plan`, `assign` and `verify`: what they print and write, findings, and on what a plan rests."""

from __future__ import annotations

import io
import json
import sys
from itertools import cycle
from typing import Any

import pytest
from rich.cells import cell_len
from support.paths import SAMPLES

from equilag.cli import main
from equilag.heuristics.registry import assignor_names
from equilag.report.reports.plan import PlanReport

NAMES = ("token-indexer", "stats", "audit")


@pytest.mark.parametrize(
    ("assignor", "sample"), list(zip(assignor_names(), cycle(NAMES), strict=False))
)
def test_assignments_of_the_samples_are_verified(run, tmp_path, assignor, sample) -> None:
    snapshot, plan = SAMPLES / f"{sample}.snapshot.json", tmp_path / "plan.json"
    status, out, err = run("assign", snapshot, "--assignor", assignor, "--out", plan)
    assert (status, err) == (0, "")
    assert f"Plan  {assignor}: this assignor's own result" in out
    assert json.loads(plan.read_text("utf-8"))["algorithm"] == assignor
    assert run("verify", snapshot, plan).status == 0


def shout(report: PlanReport) -> str:
    return f"{report.group.name.upper()}!\n"


def picture(report: PlanReport) -> bytes:
    return b"PICTURE\x00\xff"


def test_an_output_of_one_s_own(write, tmp_path, capfdbinary) -> None:
    """It replaces what is printed; the plan's file is the same."""
    argv = ["assign", write(), "--assignor", "range", "--out", tmp_path / "plan.json"]
    assert main([str(word) for word in (*argv, "--output", f"{__name__}:shout")]) == 0
    assert capfdbinary.readouterr() == (b"ORDERS-SERVICE!\n", b"")
    assert json.loads((tmp_path / "plan.json").read_text("utf-8"))["algorithm"] == "range"
    assert main([str(word) for word in (*argv, "--output", f"{__name__}:picture")]) == 0
    assert capfdbinary.readouterr() == (b"PICTURE\x00\xff", b"")


def test_settings_reach_the_plan(document, write) -> None:
    settings = {
        "--policy": "kip-169", "--balance": "both", "--move-cost": "5", "--tolerance": "2.5",
        "--max-moves": "8", "--seed": "3",
    }  # fmt: skip
    words = [word for pair in settings.items() for word in pair]
    plan = document("plan", write(), *words, "--time-limit", 1)
    for option, value in settings.items():
        name = "name" if option == "--policy" else option[2:].replace("-", "_")
        assert str(plan["policy"][name]) == value
    assert plan["timing"]["time_limit_s"] == 1.0


def test_a_large_plan_is_compact_and_a_small_one_indented(run, write, tmp_path) -> None:
    path = tmp_path / "plan.json"
    small = run("assign", write(), "--assignor", "range", "--json", "--out", path).out
    assert small.startswith('{\n "format"')
    assert path.read_text("utf-8") == small
    large = write(topics={"orders": 5, "payments": 4, "events": 3000})
    out = run("assign", large, "--assignor", "range", "--json").out
    assert out.count("\n") == 1
    assert json.loads(out)["format"] == "equilag/plan/1"


def test_standard_input(run, write, monkeypatch) -> None:
    def given(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))

    given(write().read_bytes())
    assert "\norders-service: 3 members" in run("plan", "-", "--time-limit", 1).out
    given(run("plan", write(), "--time-limit", 1, "--json").out.encode())
    assert run("verify", write(), "-").status == 0


def test_prose_stays_readable_on_a_wide_screen(run, write) -> None:
    snapshot = write(topics={f"topic-{i:03}": 2 for i in range(10)}, lags={}, members=[])
    lines = run("plan", snapshot, "--width", 300).out.splitlines()
    assert 100 < max(map(cell_len, lines)) <= 120


# Bad input.

BAD = [("{}", "format"), ("[]", "list"), ("", "empty"), ("{", "line 1 column 2"), ("\xff", "UTF-8")]
COMMANDS = ("plan", "assign", "compare", "frontier", "verify")


@pytest.mark.parametrize(
    ("command", "text", "problem"),
    [(command, *bad) for command, bad in zip(COMMANDS, BAD, strict=True)],
)
def test_bad_input_is_one_line_and_leaves_the_output_alone(
    refused, tmp_path, command, text, problem
) -> None:
    snapshot, out = (tmp_path / name for name in ("bad.json", "out.svg"))
    snapshot.write_text(text, "latin-1")
    out.write_text("before")
    more = {
        "plan": ["--out", out],
        "assign": ["--assignor", "range", "--out", out],
        "compare": [],
        "frontier": ["--plot", out],
        "verify": [out],
    }
    said = refused(command, snapshot, *more[command])
    assert said.startswith(f"{snapshot}: ")
    assert problem in said
    assert out.read_text() == "before"
    assert set(tmp_path.iterdir()) == {snapshot, out}


def test_check_exits_with_10_if_there_is_something_to_do(run, write) -> None:
    found = run("plan", write(), "--check", "--effort", 0.1)
    plan = json.loads(run("plan", write(), "--check", "--json", "--effort", 0.1).out)
    assert found.status == (10 if plan["verdict"]["worth_it"] else 0)
    assert " ".join(found.out.split()).startswith(plan["verdict"]["headline"])
    assert "Members" not in found.out
    nobody = run("plan", write(members=[]), "--check")
    assert (nobody.status, nobody.out.partition(":")[0]) == (10, "Nobody reads it")
    quiet = run("plan", write(members=[], lags={}, offsets={}), "--check")
    assert (quiet.status, quiet.out.partition(":")[0]) == (0, "Leave it")


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
