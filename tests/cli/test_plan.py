"""`equilag plan` and `assign`: what they print, what they write, and that `verify` agrees."""

from __future__ import annotations

import io
import json
import sys
from itertools import cycle

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


def test_json_and_out_are_the_same_document(run, write, tmp_path) -> None:
    path = tmp_path / "plan.json"
    out = run("assign", write(), "--assignor", "fair", "--json", "--out", path).out
    assert path.read_text("utf-8") == out


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
    fresh = document("plan", write(), "--fresh", "--time-limit", 1)
    assert fresh["policy"]["fresh"] is True


def test_a_large_plan_is_compact_and_a_small_one_indented(run, write) -> None:
    small = run("assign", write(), "--assignor", "range", "--json").out
    assert small.startswith('{\n "format"')
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
