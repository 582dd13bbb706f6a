"""`equilag compare`: the rows, the table, and what stands below it."""

from __future__ import annotations

import json
import sys

import pytest
from support.paths import SAMPLES

from equilag.heuristics.registry import assignor_names

FIELDS = (
    "assignor", "count_spread", "moves", "lag_max", "lag_spread", "lag_excess",
    "gap_percent_of_mean", "wall_ms", "status", "evidence", "failed", "package",
    "beyond_bound", "beyond_reasons",
)  # fmt: skip


def test_json(run) -> None:
    snapshot = SAMPLES / "audit.snapshot.json"
    status, out, err = run("compare", snapshot, "--time-limit", 0.5, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["format"] == "equilag/comparison/1"
    assert document["policy"]["tolerance"] == 0.0
    assert document["evidence"] == document["rows"][-1]["evidence"]
    assert [row["assignor"] for row in document["rows"]] == [
        "current",
        *assignor_names(),
        "equilag",
    ]
    for row in document["rows"]:
        assert tuple(row) == FIELDS


def test_the_optimum_follows_the_policy_and_the_limits(run) -> None:
    snapshot = SAMPLES / "token-indexer.snapshot.json"
    argv = ["compare", snapshot, "--time-limit", 0.5, "--max-moves", 3, "--seed", 7]
    own = json.loads(run(*argv, "--json").out)["rows"][-1]
    assert (own["assignor"], own["moves"] <= 3) == ("equilag", True)
    out = " ".join(run(*argv, "--policy", "fair-yet-sticky").out.split())
    assert "no plan with the same balance of counts and the fewest moves has a smaller" in out
    status, out, err = run("compare", snapshot, "--fresh", "--max-moves", 3)
    assert (status, out) == (2, "")
    assert err.startswith("equilag: --max-moves: ")


class Nobody:
    name = "nobody"

    def assign(self, group):
        return list(range(group.n_partitions))


class First:
    name = "first"

    def assign(self, group):
        print("what an author wants to see")  # noqa: T201
        return [0] * group.n_partitions


def test_ones_own_assignor_beside_them(run) -> None:
    snapshot = SAMPLES / "token-indexer.snapshot.json"
    own = f"{__name__}:First"
    options = ("--assignor", own, "--assignor", "range", "--assignor", own)
    status, out, err = run("compare", snapshot, "--time-limit", 0.3, "--json", *options)
    assert (status, err) == (0, "what an author wants to see\n")
    rows = [row["assignor"] for row in json.loads(out)["rows"]]
    assert rows == ["current", *assignor_names(), own, "equilag"]


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ("best-ever", "--assignor: unknown assignor 'best-ever'"),
        (f"{__name__}:Absent", "Absent"),
        (f"{__name__}:Nobody", "is with member number "),
    ],
)
def test_ones_own_assignor_that_is_wrong(run, own: str, problem: str) -> None:
    status, out, err = run("compare", SAMPLES / "audit.snapshot.json", "--assignor", own)
    assert (status, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


BROKEN = {
    "import": "nowhere_at_all:Thing",
    "raises": "own_plugin:Raises",
    "ends": "own_plugin:Ends",
    "invalid": "own_plugin:Invalid",
    "odd-place": "own_plugin",
}


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package on the path, with one assignor that works and others that do not."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_plugin", raising=False)
    (tmp_path / "own_plugin.py").write_text(
        "import numpy as np\n"
        "class Works:\n"
        "    name = 'works'\n"
        "    def assign(self, group):\n"
        "        return np.where(group.assignable, 0, -1)\n"
        "class Raises(Works):\n"
        "    def assign(self, group):\n"
        "        raise RuntimeError('no\\nidea')\n"
        "class Ends(Works):\n"
        "    def __init__(self):\n"
        "        raise SystemExit(0)\n"
        "class Invalid(Works):\n"
        "    def assign(self, group):\n"
        "        return [99]\n"
    )
    folder = tmp_path / "own_plugin-0.3.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 0.3\n")
    points = {**BROKEN, "works": "own_plugin:Works"}
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (folder / "entry_points.txt").write_text(f"[equilag.assignors]\n{lines}")
    yield points
    sys.modules.pop("own_plugin", None)


def test_an_installed_assignor_that_fails_has_a_row_that_says_so(run, plugin) -> None:
    snapshot = SAMPLES / "audit.snapshot.json"
    argv = ["compare", snapshot, "--time-limit", 0.2]
    status, out, err = run(*argv, "--json")
    assert (status, err) == (0, "")
    rows = {row["assignor"]: row for row in json.loads(out)["rows"]}
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


@pytest.mark.parametrize("name", ["raises", "ends", "import"])
def test_an_assignor_that_is_named_must_work(run, plugin, name: str) -> None:
    snapshot = SAMPLES / "audit.snapshot.json"
    for command in ("compare", "assign"):
        status, out, err = run(command, snapshot, "--assignor", name)
        assert (status, out) == (2, "")
        assert err.startswith(f"equilag: --assignor: assignor '{name}' ")
        assert err.count("\n") == 1
