"""`equilag explain`: its sources, its options, its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.json_schemas import findings
from support.paths import SAMPLES

SNAPSHOT = SAMPLES / "token-indexer.snapshot.json"


def test_a_plan_is_made_and_explained(run: Callable[..., Any]) -> None:
    found = run("explain", SNAPSHOT, "--effort", 0.1)
    assert (found.status, found.err) == (0, "")
    assert "\n\ntoken-indexer: 7 members, 1 topic, 48 partitions" in found.out
    assert "How even the plan is\n  Nothing keeps the members apart" in found.out
    assert "relieve indexer-5-" in found.out


def test_a_given_plan_is_verified_first(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert run("plan", SNAPSHOT, "--effort", 0.1, "--out", path).status == 0
    found = run("explain", SNAPSHOT, path, "--effort", 0.1, "--json")
    document = json.loads(found.out)
    assert (found.status, document["format"]) == (0, "equilag/explanation/1")
    assert findings(document) == []
    plan = json.loads(path.read_text("utf-8"))
    assert document["moves"] == plan["moves"]["partitions"]
    assert document["policy"] == {**plan["policy"], "weight": "lag"}
    assert document["reached"]["spread"] == plan["lag"]["spread"]
    plan["lag"]["max"] += 1
    path.write_text(json.dumps(plan), "utf-8")
    wrong = run("explain", SNAPSHOT, path)
    assert (wrong.status, wrong.out) == (2, "")
    assert f"{path}: the plan does not hold: lag.max" in wrong.err


def test_settings_reach_the_plan(run: Callable[..., Any]) -> None:
    found = run("explain", SNAPSHOT, "--effort", 0.1, "--max-moves", 1, "--json")
    document = json.loads(found.out)
    assert document["reached"]["moves"] == 1
    assert [row["name"] for row in document["looser"]][:2] == ["moves", "tolerance"]
    assert document["looser"][0]["helps"]


def test_the_plan_is_that_of_plan(run: Callable[..., Any]) -> None:
    options = (SNAPSHOT, "--effort", 0.1, "--seed", 4, "--json")
    plan, found = (json.loads(run(name, *options).out) for name in ("plan", "explain"))
    assert found["policy"] == plan["policy"]
    assert found["moves"] == plan["moves"]["partitions"]
