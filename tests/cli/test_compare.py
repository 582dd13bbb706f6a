"""`equilag compare`: the rows, the table, and what stands below it."""

from __future__ import annotations

import json

import pytest
from support.paths import SAMPLES

from equilag.heuristics.registry import assignor_names

FIELDS = (
    "assignor", "count_spread", "moves", "lag_max", "lag_spread", "gap_percent_of_mean", "wall_ms",
)  # fmt: skip


def test_json(run) -> None:
    snapshot = SAMPLES / "audit.snapshot.json"
    status, out, err = run("compare", snapshot, "--time-limit", 0.5, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert set(document) == {"rows", "spread_lower_bound"}
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
        return [0] * group.n_partitions


def test_ones_own_assignor_beside_them(run) -> None:
    snapshot = SAMPLES / "token-indexer.snapshot.json"
    own = f"{__name__}:First"
    options = ("--assignor", own, "--assignor", "range", "--assignor", own)
    out = run("compare", snapshot, "--time-limit", 0.3, "--json", *options).out
    rows = [row["assignor"] for row in json.loads(out)["rows"]]
    assert rows == ["current", *assignor_names(), own, "equilag"]


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ("best-ever", "--assignor: unknown assignor 'best-ever'"),
        (f"{__name__}:Absent", "Absent"),
        (f"{__name__}:Nobody", "member number"),
    ],
)
def test_ones_own_assignor_that_is_wrong(run, own: str, problem: str) -> None:
    status, out, err = run("compare", SAMPLES / "audit.snapshot.json", "--assignor", own)
    assert (status, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_the_table_has_aligned_columns(run) -> None:
    out = run("compare", SAMPLES / "stats.snapshot.json", "--time-limit", 0.5).out
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("assignor"))
    rows = lines[start : start + 3 + len(assignor_names())]
    assert rows[1].startswith("current ")
    assert rows[-1].startswith("equilag ")
    assert len({len(row) for row in rows}) == 1
    assert "proved bound" in out


@pytest.mark.parametrize("fields", [{"members": []}, {"topics": {}, "lags": {}, "members": []}])
def test_nothing_to_compare(run, write, fields) -> None:
    status, out, err = run("compare", write(**fields), "--time-limit", 0.2)
    assert (status, err) == (0, "")
    assert "equilag " in out
