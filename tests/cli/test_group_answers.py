"""Commands that answer a question about one group: their JSON, plots, plans that are given, and
assignors of one's own. What their answers are is tested in tests/planner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.orders_service import even_assignment, slow_snapshot
from support.paths import SAMPLES

from equilag.heuristics.registry import assignor_names
from equilag.report import plot as report_plot

AUDIT, TOKENS = (SAMPLES / f"{name}.snapshot.json" for name in ("audit", "token-indexer"))
FIELDS = (
    "assignor", "count_spread", "moves", "lag_max", "lag_spread", "lag_excess",
    "gap_percent_of_mean", "wall_ms", "status", "evidence", "failed", "package",
    "beyond_bound", "beyond_reasons",
)  # fmt: skip


@pytest.fixture
def slow(write) -> Path:
    return write(**slow_snapshot())


@pytest.fixture
def plan(tmp_path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(even_assignment()), "utf-8")
    return path


def test_settings_reach_the_answer(run, document, refused) -> None:
    argv = [TOKENS, "--time-limit", 0.5, "--max-moves", 3, "--seed", 7]
    own = document("compare", *argv)["rows"][-1]
    assert (own["assignor"], own["moves"] <= 3) == ("equilag", True)
    explained = document("explain", TOKENS, "--effort", 0.1, "--max-moves", 1)
    assert explained["reached"]["moves"] == 1
    assert [row["name"] for row in explained["looser"]][:2] == ["moves", "tolerance"]
    assert max(p["moves"] for p in document("frontier", *argv)["points"]) <= 3
    out = " ".join(run("compare", *argv, "--policy", "fair-yet-sticky").out.split())
    assert "no plan with the same balance of counts and the fewest moves has a smaller" in out
    assert refused("compare", TOKENS, "--fresh", "--max-moves", 3).startswith("--max-moves: ")


@pytest.mark.parametrize("command", ["explain", "simulate"])
def test_a_plan_that_is_given(document, slow, tmp_path, command: str) -> None:
    """It is that of `plan`, which the command makes without one."""
    made = tmp_path / "made.json"
    document("plan", slow, "--out", made, "--effort", 0.1)
    part = "moves" if command == "explain" else "plan"
    given = document(command, slow, made)[part]
    assert given == document(command, slow, "--effort", 0.1)[part]


def test_a_plan_that_does_not_fit_is_named(document, refused, write, plan, tmp_path) -> None:
    path = tmp_path / "altered.json"
    altered = document("plan", TOKENS, "--effort", 0.1)
    altered["lag"]["max"] += 1
    path.write_text(json.dumps(altered), "utf-8")
    assert refused("explain", TOKENS, path).startswith(f"{path}: the plan does not hold: lag.max")
    other = write("other.json", **slow_snapshot(group="other"))
    said = refused("simulate", other, plan)
    assert said.startswith(f"{plan}: does not fit the group: group: the plan is of group")


def test_options_that_do_not_go_with_a_plan(refused, slow, plan) -> None:
    for option in (["--max-moves", 3], ["--weight", "lag"], ["--pin", "t-0=a"]):
        said = refused("simulate", slow, plan, *option, "--capacity", "*=70")
        assert said.startswith("with PLAN only --capacity of the options that make a plan has an")
    said = refused("simulate", slow, plan, "--capacity", "z=1")
    assert said.startswith("--capacity: no member's id is")


def test_capacities_are_asked_for(run, refused, write) -> None:
    members = [{k: v for k, v in m.items() if k != "capacity"} for m in slow_snapshot()["members"]]
    unknown = write("unknown.json", **slow_snapshot(members=members))
    said = refused("simulate", unknown, "--time-limit", 0.2)
    assert said.startswith("a simulation needs how fast members read: give it")
    assert run("simulate", unknown, "--time-limit", 0.2, "--capacity", "*=50").status == 0


def test_plots(run, refused, slow, plan, tmp_path, monkeypatch) -> None:
    drawn = tmp_path / "lag.svg"
    assert run("simulate", slow, plan, "--plot", drawn).status == 0
    found = ElementTree.parse(drawn)
    assert {e.attrib["id"] for e in found.iter() if "id" in e.attrib} >= {"now", "plan"}
    assert "would overwrite the input" in refused("simulate", slow, plan, "--plot", plan)
    # Said before the snapshot is read, which would take its time.
    monkeypatch.setattr(report_plot, "find_spec", lambda name: None)
    said = refused("frontier", tmp_path / "none.json", "--plot", tmp_path / "f.svg")
    assert said == "a plot needs matplotlib: pip install 'equilag[plot]'"


class First:
    name = "first"

    def assign(self, group: Any) -> Any:
        print("what an author wants to see")  # noqa: T201
        return [0] * group.n_partitions


class Nobody(First):
    def assign(self, group: Any) -> Any:
        return list(range(group.n_partitions))


class Raises(First):
    def assign(self, group: Any) -> Any:
        raise RuntimeError("no\nidea")


class Ends(First):
    def __init__(self) -> None:
        raise SystemExit(0)


class Quiet(First):
    def assign(self, group: Any) -> Any:
        return [0 if one else -1 for one in group.assignable]


def test_ones_own_assignor_beside_them(run) -> None:
    own = f"{__name__}:First"
    options = ("--assignor", own, "--assignor", "range", "--assignor", own)
    status, out, err = run("compare", TOKENS, "--time-limit", 0.3, "--json", *options)
    assert (status, err) == (0, "what an author wants to see\n")
    rows = [row["assignor"] for row in json.loads(out)["rows"]]
    assert rows == ["current", *assignor_names(), own, "equilag"]


BROKEN = {
    "import": "nowhere_at_all:Thing",
    "raises": f"{__name__}:Raises",
    "ends": f"{__name__}:Ends",
    "invalid": f"{__name__}:Nobody",
    "odd-place": __name__,
}


@pytest.fixture
def plugin(tmp_path, monkeypatch) -> None:
    """An installed package, with one assignor that works and others that do not."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "own_plugin-0.3.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 0.3\n")
    points = {**BROKEN, "works": f"{__name__}:Quiet"}
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (folder / "entry_points.txt").write_text(f"[equilag.assignors]\n{lines}")


def test_an_installed_assignor_that_fails_has_a_row_that_says_so(
    run, document, refused, plugin
) -> None:
    argv = ["compare", AUDIT, "--time-limit", 0.2]
    rows = {row["assignor"]: row for row in document(*argv)["rows"]}
    assert rows.keys() == {"current", *assignor_names(), "equilag"}
    assert {name for name, row in rows.items() if row["status"] == "failed"} == BROKEN.keys()
    for name in BROKEN:
        row = rows[name]
        assert tuple(row) == FIELDS
        assert [row[field] for field in FIELDS[1:7]] == [None] * 6
        assert row["package"] == "own-plugin 0.3"
        assert row["failed"].startswith(f"assignor '{name}' ")
    assert (rows["works"]["status"], rows["works"]["package"]) == ("heuristic", "own-plugin 0.3")
    assert rows["equilag"]["evidence"] == "checked"
    shown = run(*argv).out
    assert "  raises failed (package own-plugin 0.3): " in shown
    assert "no idea" in shown
    for name, command in (("raises", "compare"), ("ends", "assign"), ("import", "compare")):
        said = refused(command, AUDIT, "--assignor", name)
        assert said.startswith(f"--assignor: assignor '{name}' ")


def test_a_front_says_first_that_the_group_is_to_be_left(run, write) -> None:
    even = write("even.json", **slow_snapshot(rates={}, lags={"t": [1] * 6}))
    told = run("frontier", even, "--effort", 0.1).out
    assert told.startswith("Leave it: the group has caught up")
    assert run("frontier", TOKENS, "--effort", 0.1).out.startswith("Trade-offs: ")
