"""What the commands write, by the schemas: of all samples, and of odd groups and settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from support.groups import ODD
from support.json_schemas import accepts, findings, part_at, places, replaced, value_at, without
from support.paths import SAMPLES

import equilag
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.planner.compare import compare
from equilag.planner.facts.front import front_facts
from equilag.planner.frontier import frontier
from equilag.planner.simulate import simulate
from equilag.report.reports.comparison import ComparisonReport
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.reports.frontier import FrontierReport
from equilag.report.reports.plan import PlanReport
from equilag.report.reports.simulation import SimulationReport

QUICK = ("--effort", 0.005)
SAMPLE_FILES = sorted(SAMPLES.glob("*.snapshot.json"))


@pytest.fixture
def document(document: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Commands on odd groups may warn."""
    return partial(document, remarks=True)


@pytest.mark.parametrize("sample", SAMPLE_FILES, ids=lambda path: path.name.partition(".")[0])
def test_every_command_on_a_sample(document: Callable[..., Any], sample: Path) -> None:
    plan = document("plan", sample, *QUICK)
    document("assign", sample, "--assignor", "range")
    comparison = document("compare", sample, *QUICK)
    front = document("frontier", sample, *QUICK)
    sizing = document("size", sample, "--members", "2..5", *QUICK)
    explanation = document("explain", sample, *QUICK)
    report = document("report", sample, *QUICK)
    assert (report["format"], report["plan"]["evidence"]) == ("equilag/report/1", plan["evidence"])
    group = plan["group"]
    assert {one["group"] for one in (comparison, front, sizing, explanation)} == {group}
    if sample.name.startswith(("over", "slow", "real")):
        document("simulate", sample, "--for", "30s", *QUICK)


def test_a_plan_that_is_verified(document: Callable[..., Any], tmp_path: Path) -> None:
    snapshot, path = SAMPLES / "audit.snapshot.json", tmp_path / "plan.json"
    plan = document("plan", snapshot, "--out", path, *QUICK)
    assert findings(json.loads(path.read_text("utf-8"))) == []
    found = document("verify", snapshot, path)
    assert (found["holds"], found["policy"]) == (True, plan["policy"])
    path.write_text(json.dumps({**plan, "status": "fallback", "policy": 1}), "utf-8")
    assert document("verify", snapshot, path, status=1)["policy"] is None


def test_a_snapshot_from_a_text(document: Callable[..., Any]) -> None:
    given = SAMPLES / "token-indexer.describe.txt"
    assert document("snapshot", "--from-describe", given)["group"] == "token-indexer"


BOTH = ["orders", "payments"]
THREADS: dict[str, Any] = {"subscription": BOTH, "instance": "p", "rack": "x"}
ALL_FIELDS: dict[str, Any] = {
    "topics": {"orders": 4, "payments": 4, "unread": 2},
    "members": [
        {"id": "a", "capacity": 900, "max_partitions": 3, **THREADS},
        {"id": "b", "capacity": 300, "owned": {"orders": [3, 9]}, **THREADS},
        {"id": "c", "subscription": BOTH},
        {"id": "idle", "subscription": []},
    ],
    "lags": {"orders": [10**6, 2, 3, 400]},
    "rates": {"orders": [5000, 1, 2, None]},
    "racks": {"orders": [["x"], ["y"], ["x"], ["y"]]},
    "co_partitioned": [BOTH],
    "allowed": {"orders": {"0": ["a", "b"]}},
}

EXTENDED: dict[str, list[str]] = {
    "as it is": [],
    "pinned, by racks": ["--pin", "orders-3=b", "--rack-aware", "--max-cross-rack", "9"],
    "fresh, lag, no balance": ["--fresh", "--weight", "lag", "--balance", "none"],
    "with more members": ["--add-members", "2", "--capacity", "new-*=5", "--keep", "payments"],
    "apart": ["--co-partition", "none", "--instances", "none", "--weight", "rate"],
}


@pytest.mark.parametrize("options", EXTENDED.values(), ids=EXTENDED.keys())
def test_an_extended_group(
    document: Callable[..., Any], write: Callable[..., Path], options: list[str]
) -> None:
    path = write(**ALL_FIELDS)
    assert "load" in document("plan", path, *options, *QUICK)
    for command in ("compare", "frontier", "simulate", "explain", "report"):
        document(command, path, *options, *QUICK)


@pytest.mark.parametrize("name", ODD)
def test_odd_groups(name: str) -> None:
    group = ODD[name]()
    plan = equilag.solve(group, effort=0.005)
    assert findings(PlanReport(plan).document()) == []
    assert findings(plan.to_dict()) == []
    assert findings(compare(group, effort=0.005).to_dict()) == []
    points = frontier(group, effort=0.005)
    assert findings(FrontierReport(front_facts(group, points, Policy())).document()) == []


@pytest.mark.parametrize("capacity", [1e-100, 1e100])
def test_figures_are_finite(
    document: Callable[..., Any], write: Callable[..., Path], capacity: float
) -> None:
    members = [
        {"id": m, "subscription": BOTH, "capacity": c} for m, c in (("a", capacity), ("b", None))
    ]
    rates = {"payments": [1e-100, 0, 1, None]}
    path = write(
        group="\u0142\x1b\n", members=members, lags={"orders": [2**53 - 1] * 5}, rates=rates
    )
    for command in ("plan", "compare", "frontier", "size", "simulate", "explain"):
        document(command, path, *QUICK)


def ended() -> Event:
    stop = Event()
    stop.set()
    return stop


def test_interrupted_runs(write: Callable[..., Path]) -> None:
    group: Group = equilag.load_snapshot(str(write()))
    plan = equilag.solve(group, stop=ended())
    assert plan.to_dict()["interrupted"]
    assert findings(PlanReport(plan).document()) == []
    comparison = compare(group, stop=ended())
    _, *others, ours = comparison.rows
    assert ({row.status for row in others}, ours.status) == ({"not run"}, "fallback")
    assert comparison.to_dict()["interrupted"]
    assert findings(ComparisonReport(comparison).document()) == []
    stopped = front_facts(group, frontier(group, stop=ended()), Policy(), interrupted=True)
    assert findings(FrontierReport(stopped).document()) == []
    explanation = equilag.explain(group, stop=ended())
    assert findings(ExplanationReport(explanation).document()) == []
    sizing = equilag.size(group, stop=ended())
    assert findings(sizing.to_dict()) == []
    simulation = simulate(group, policy=Policy(capacity={"*": 9}), stop=ended())
    assert findings(SimulationReport(simulation).document()) == []


def test_the_schemas_refuse_what_is_wrong(
    document: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Some required fields removed, and some values replaced by one of another type."""
    path, plan = write(**ALL_FIELDS), tmp_path / "plan.json"
    for found in (
        document("plan", path, "--out", plan, *QUICK),
        document("compare", path, *QUICK),
        document("frontier", path, *QUICK),
        document("verify", path, plan),
        document("size", SAMPLES / "overloaded.snapshot.json", "--members", "6..8", *QUICK),
        document("simulate", path, "--for", "1s", *QUICK),
        document("explain", path, *QUICK),
    ):
        name = found["format"].split("/")[1]
        required = 0
        for path in _few(found)[::3]:
            value = value_at(found, path)
            other = {"x": [None]} if not isinstance(value, dict) else [value]
            assert not accepts(name, replaced(found, path, other)), (name, path)
            if path and path[-1] in part_at(name, path[:-1]).get("required", ()):
                assert not accepts(name, without(found, path)), (name, path)
                required += 1
        assert required >= 2


def _few(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The paths of a document, of each list and each map by name the first entry alone."""
    seen, kept = set(), []
    for path in places(found):
        form = tuple(0 if isinstance(key, int) else key for key in path)
        if all(not isinstance(key, int) or key == 0 for key in path) and form not in seen:
            seen.add(form)
            kept.append(path)
    # The data of a claim is as its kind has it, the policy of a verified plan as the plan says, and
    # the settings of a looser one are any of the policy's.
    stated = found["format"] == "equilag/verification/1"
    return [
        path
        for path in kept
        if "data" not in path
        and not (path[:1] == ("looser",) and "settings" in path[:-1])
        and not (stated and path[0:1] == ("policy",) and len(path) > 1)
    ]
