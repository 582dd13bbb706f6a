"""`equilag explain`: its sources, its options, its JSON."""

from __future__ import annotations

import json
from pathlib import Path

from support.paths import SAMPLES

SNAPSHOT = SAMPLES / "token-indexer.snapshot.json"


def test_a_plan_is_made_and_explained(run) -> None:
    found = run("explain", SNAPSHOT, "--effort", 0.1)
    assert (found.status, found.err) == (0, "")
    assert "\n\ntoken-indexer: 7 members, 1 topic, 48 partitions" in found.out
    assert "How even the plan is\n  Nothing keeps the members apart" in found.out
    assert "relieve indexer-5-" in found.out


def test_a_given_plan_is_verified_first(document, refused, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    plan = document("plan", SNAPSHOT, "--effort", 0.1, "--out", path)
    found = document("explain", SNAPSHOT, path, "--effort", 0.1)
    assert found["format"] == "equilag/explanation/1"
    assert found["moves"] == plan["moves"]["partitions"]
    assert found["policy"] == {**plan["policy"], "weight": "lag"}
    assert found["reached"]["spread"] == plan["lag"]["spread"]
    plan["lag"]["max"] += 1
    path.write_text(json.dumps(plan), "utf-8")
    assert refused("explain", SNAPSHOT, path).startswith(f"{path}: the plan does not hold: lag.max")


def test_settings_reach_the_plan(document) -> None:
    found = document("explain", SNAPSHOT, "--effort", 0.1, "--max-moves", 1)
    assert found["reached"]["moves"] == 1
    assert [row["name"] for row in found["looser"]][:2] == ["moves", "tolerance"]
    assert found["looser"][0]["helps"]


def test_the_plan_is_that_of_plan(document) -> None:
    options = (SNAPSHOT, "--effort", 0.1, "--seed", 4)
    plan, found = (document(name, *options) for name in ("plan", "explain"))
    assert found["policy"] == plan["policy"]
    assert found["moves"] == plan["moves"]["partitions"]
