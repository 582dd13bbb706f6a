"""The gate of coverage: rooms, figures, and what is below."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import coverage_gate as gate
from support.paths import CHECKOUT


def report(**files: tuple[int, int]) -> dict[str, Any]:
    """A report on files `room__name`: covered and all, half of them branches as far as it goes."""
    return {
        "files": {
            f"equilag/{name.replace('__', '/') if name[0] != '_' else name}.py": {
                "summary": {
                    "covered_lines": covered - covered // 2,
                    "covered_branches": covered // 2,
                    "num_statements": number - number // 2,
                    "num_branches": number // 2,
                }
            }
            for name, (covered, number) in files.items()
        }
    }


def test_every_room_has_its_line_and_gate() -> None:
    files = {"__init__": (90, 100), "solver__a": (100, 100), "solver__b__c": (90, 100)}
    lines, good = gate.judge(report(**files))
    assert good
    assert [line.split() for line in lines[1:]] == [
        ["equilag", "100", "90.0", "%", "90", "%"],
        ["solver", "200", "95.0", "%", "95", "%"],
        ["all", "300", "93.3", "%"],
    ]


@pytest.mark.parametrize(
    ("room", "covered"), [("solver", 949), ("domain", 949), ("cli", 899), ("new", 899)]
)
def test_a_room_below_its_gate_names_its_worst_files(room: str, covered: int) -> None:
    files = {f"{room}__fine": (0, 0), f"{room}__poor": (covered, 1000)}
    lines, good = gate.judge(report(**files))
    assert not good
    assert lines[1].endswith("below its gate")
    assert lines[2] == f"    equilag/{room}/poor.py: {1000 - covered} not run"
    assert lines[3].startswith("all")
    assert gate.judge(report(**{f"{room}__poor": (covered + 1, 1000)}))[1]


def test_almost_is_not_rounded_up() -> None:
    lines, good = gate.judge(report(planner__a=(94999, 100_000)))
    assert not good
    assert " 94.9 %" in lines[1]


def test_without_java_some_gates_are_left_out() -> None:
    poor = report(pipeline__a=(1, 10), live__b=(1, 10))
    assert not gate.judge(poor)[1]
    lines, good = gate.judge(poor, "no java")
    assert good
    assert lines[-1] == "Gates of adapters, cli, live, pipeline left out: no java."
    assert not gate.judge(report(solver__a=(1, 10)), "no java")[1]


def test_every_room_of_the_package_is_known() -> None:
    rooms = {path.name for path in (CHECKOUT / "equilag").iterdir() if path.is_dir()}
    assert rooms >= gate.CORE.keys() | gate.ON_JAVA


@pytest.mark.parametrize(("covered", "status"), [(100, 0), (0, 1)])
def test_the_script(tmp_path: Path, covered: int, status: int) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report(solver__a=(covered, 100))), "utf-8")
    script = CHECKOUT / "tests" / "support" / "coverage_gate.py"
    done = subprocess.run(
        [sys.executable, str(script), str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.count("\n") >= 3
