"""`equilag compare`: the rows, the table, and what stands below it."""

from __future__ import annotations

import json

import pytest
from support.paths import SAMPLES

from equilag.heuristics.registry import assignor_names

FIELDS = (
    "assignor", "count_spread", "moves", "lag_max", "lag_spread", "lag_excess",
    "gap_percent_of_mean", "wall_ms", "status", "evidence", "failed", "package",
    "beyond_bound", "beyond_reasons",
)  # fmt: skip


AUDIT, TOKENS = (SAMPLES / f"{name}.snapshot.json" for name in ("audit", "token-indexer"))


def test_json(document) -> None:
    found = document("compare", AUDIT, "--time-limit", 0.5)
    assert found["format"] == "equilag/comparison/1"
    assert found["policy"]["tolerance"] == 0.0
    rows = found["rows"]
    assert found["evidence"] == rows[-1]["evidence"]
    assert [row["assignor"] for row in rows] == ["current", *assignor_names(), "equilag"]
    assert {tuple(row) for row in rows} == {FIELDS}


def test_the_optimum_follows_the_policy_and_the_limits(run, document, refused) -> None:
    argv = ["compare", TOKENS, "--time-limit", 0.5, "--max-moves", 3, "--seed", 7]
    own = document(*argv)["rows"][-1]
    assert (own["assignor"], own["moves"] <= 3) == ("equilag", True)
    out = " ".join(run(*argv, "--policy", "fair-yet-sticky").out.split())
    assert "no plan with the same balance of counts and the fewest moves has a smaller" in out
    assert refused("compare", TOKENS, "--fresh", "--max-moves", 3).startswith("--max-moves: ")


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
    own = f"{__name__}:First"
    options = ("--assignor", own, "--assignor", "range", "--assignor", own)
    status, out, err = run("compare", TOKENS, "--time-limit", 0.3, "--json", *options)
    assert (status, err) == (0, "what an author wants to see\n")
    rows = [row["assignor"] for row in json.loads(out)["rows"]]
    assert rows == ["current", *assignor_names(), own, "equilag"]


class Raises(First):
    def assign(self, group):
        raise RuntimeError("no\nidea")


class Ends(First):
    def __init__(self) -> None:
        raise SystemExit(0)


class Quiet(First):
    def assign(self, group):
        return [0 if one else -1 for one in group.assignable]


BROKEN = {
    "import": "nowhere_at_all:Thing",
    "raises": f"{__name__}:Raises",
    "ends": f"{__name__}:Ends",
    "invalid": f"{__name__}:Nobody",
    "odd-place": __name__,
}


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """An installed package, with one assignor that works and others that do not."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "own_plugin-0.3.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 0.3\n")
    points = {**BROKEN, "works": f"{__name__}:Quiet"}
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (folder / "entry_points.txt").write_text(f"[equilag.assignors]\n{lines}")
    return points


def test_an_installed_assignor_that_fails_has_a_row_that_says_so(run, document, plugin) -> None:
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


@pytest.mark.parametrize("name", ["raises", "ends", "import"])
def test_an_assignor_that_is_named_must_work(refused, plugin, name: str) -> None:
    for command in ("compare", "assign"):
        said = refused(command, AUDIT, "--assignor", name)
        assert said.startswith(f"--assignor: assignor '{name}' ")
