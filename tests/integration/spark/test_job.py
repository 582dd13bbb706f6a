"""A run over a small fleet with every fault, with rules, and with groups whose planning raises or
crashes: each of its tables against what it must be."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from support import fleet_oracle as oracle
from support import planners
from support.json_schemas import findings
from support.made_fleets import FAULTY, SETTINGS, TABLES, Row, make, options, read_table

import equilag
from equilag.domain.plan.plan import Plan
from equilag.pipeline.fleet_options import Rules, read_rules
from equilag.pipeline.job import run_fleet
from equilag.pipeline.results.export import export_group
from equilag.pipeline.results.fleet_report import load_fleet
from equilag.pipeline.sources.signals import Span
from equilag.report.reports.fleet import FleetReport

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

COUNTED_FAULTS: Final = (
    "duplicates", "late", "missing", "commit_backwards", "end_backwards", "ahead_of_end",
    "below_log_start", "invalid", "no_commit", "appeared", "vanished",
)  # fmt: skip
"""The faults of `benchmarks.fleet.faults` that a run counts by the same name."""
FAILED: Final = {
    "stale": "stale", "no_members": "no_members", "no_offsets": "no_offsets", "capacity": "input",
}  # fmt: skip
"""Those that leave a group without a plan, and what it is then listed as."""
RULES: Final = """
[[rule]]
group = "-00[01][0-9]$"
policy = "fair-yet-sticky"
max_moves = 12
seed = 9

[[rule]]
group = "-00[0-9]5$"
effort = 0.01
fresh = true
"""


@dataclass(frozen=True)
class Run:
    folder: Path
    history: Path
    made: dict[str, Any]
    summary: dict[str, Any]
    tables: dict[str, list[Row]]
    planner: planners.Misbehaving
    rules: Rules


@pytest.fixture(scope="module")
def by_value() -> Iterator[None]:
    """Send the planner's module along: the workers know nothing of the tests' directory."""
    from pyspark import cloudpickle

    module = sys.modules[planners.__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.fixture(scope="module")
def run(spark: SparkSession, by_value: None, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("fleet")
    made = make(folder / "history", FAULTY)
    unready = {group for group, faults in made["faults"].items() if faults.keys() & FAILED.keys()}
    sizes = Counter(
        group
        for group, _, _ in {
            (row["group"], row["topic"], row["partition"])
            for row in read_table(folder / "history", "offsets")
            if row["group"] not in unready
        }
    )
    raising, killed = sorted(sizes, key=lambda group: (sizes[group], group))[:2]
    planner = planners.Misbehaving(raising, killed, "", "", "", "")
    rules = read_rules(RULES, SETTINGS)
    # One bin for all: a process that is gone must be replaced for the groups after it.
    chosen = options(folder / "history", folder / "run", weight="lag", rules=rules, tasks=1)
    summary = run_fleet(chosen, planner=planner)
    tables = {table: read_table(folder / "run", table) for table in TABLES}
    return Run(folder / "run", folder / "history", made, summary, tables, planner, rules)


@pytest.fixture(scope="module")
def plans(run: Run) -> dict[str, tuple[dict[str, Any], Plan]]:
    """Group to the snapshot and the plan that the run gave it."""
    names = [row["group"] for row in run.tables["plans"]]
    return {name: export_group(str(run.folder), name) for name in names}


@pytest.fixture(scope="module")
def again(run: Run, plans: dict[str, tuple[dict[str, Any], Plan]]) -> dict[str, Plan]:
    """Group to the plan of the library for its snapshot, with the settings of its rule."""
    found = {}
    for name, (snapshot, _) in plans.items():
        chosen = run.rules.settings_of(name)
        found[name] = equilag.solve(
            equilag.load_snapshot(snapshot),
            chosen.policy,
            time_limit=chosen.time_limit,
            effort=chosen.effort,
            seed=chosen.seed,
        )
    return found


def test_quality_is_what_was_done_to_the_history(run: Run) -> None:
    assert {row["group"] for row in run.tables["quality"]} >= set(run.made["faults"])
    assert len(run.tables["quality"]) == FAULTY.groups
    for row in run.tables["quality"]:
        made = run.made["faults"].get(row["group"], {})
        counted = {name: row[name] or 0 for name in COUNTED_FAULTS}
        assert counted == {name: made.get(name, 0) for name in COUNTED_FAULTS}, row["group"]
        assert row["after_at"] == row["duplicate_members"] == row["invalid_members"] == 0
    every = {fault for made in run.made["faults"].values() for fault in made}
    assert every == set(COUNTED_FAULTS) | set(FAILED)


def test_groups_without_a_plan_are_those_that_were_made_so(run: Run) -> None:
    expected = {
        group: kind
        for group, made in run.made["faults"].items()
        for fault, kind in FAILED.items()
        if fault in made
    }
    failures = {
        row["group"]: row["kind"]
        for row in run.tables["failures"]
        if row["group"] not in astuple(run.planner)
    }
    assert failures == expected
    assert all(row["reason"] for row in run.tables["failures"])


@pytest.mark.parametrize(
    ("which", "kind", "reason"),
    [
        ("raising", "error", "KeyError: 'no such\\nthing'"),
        ("killed", "crash", "the process was ended by SIGKILL"),
    ],
)
def test_a_planner_that_fails_costs_its_group_only(
    run: Run, which: str, kind: str, reason: str
) -> None:
    """How else one can fail: see `tests/pipeline/test_solving.py`."""
    group = getattr(run.planner, which)
    found = [(r["kind"], r["reason"]) for r in run.tables["failures"] if r["group"] == group]
    assert found == [(kind, reason)]


def test_every_group_comes_out_once(run: Run) -> None:
    names = [row["group"] for row in run.tables["plans"] + run.tables["failures"]]
    assert len(names) == len(set(names)) == FAULTY.groups
    assert sorted(names) == sorted(row["group"] for row in run.tables["problems"])


def test_signals_against_the_oracle(run: Run) -> None:
    rows = read_table(run.history, "offsets")
    at = max(row["ts_ms"] for row in rows if oracle.is_usable(row))
    expected = oracle.signals(rows, Span(at, 3_600_000, 120_000), "latest")
    found = {(row["group"], row["topic"], row["partition"]): row for row in run.tables["signals"]}
    assert oracle.differences(found, expected) == []
    weights = {
        (row["group"], row["topic"], row["partition"]): row["weight"]
        for row in run.tables["assignment"]
    }
    assert weights == {key: expected[key]["lag"] for key in weights}
    assert len(weights) > FAULTY.partitions / 2


def test_every_plan_is_the_one_of_the_library_with_the_settings_of_its_rule(
    run: Run, plans: dict[str, tuple[dict[str, Any], Plan]], again: dict[str, Plan]
) -> None:
    for name, (_, plan) in plans.items():
        one, other = plan.to_dict(), again[name].to_dict()
        for document in (one, other):
            del document["timing"]["wall_s"]
        assert one == other, name
        assert plan.choices == again[name].choices
    assert {plan.status for plan in again.values()} >= {"optimal", "feasible"}
    chosen = map(run.rules.settings_of, plans)
    assert len({(one.policy.name, one.effort, one.policy.fresh) for one in chosen}) == 3


def test_the_summary_is_what_the_tables_say(run: Run) -> None:
    assert findings(run.summary) == []
    report = load_fleet(str(run.folder))
    assert findings(FleetReport(report, 5, every_group=True).document()) == []
    plans, failures, summary = run.tables["plans"], run.tables["failures"], run.summary
    assert summary["groups"] == FAULTY.groups
    assert summary["settings"]["rules"] == ["-00[01][0-9]$", "-00[0-9]5$"]
    planned = summary["planned"]
    for name in ("partitions", "members", "moves"):
        assert planned[name] == sum(plan[name] for plan in plans)
    assert planned["groups"] == len(plans)
    assert planned["by_status"] == Counter(plan["status"] for plan in plans)
    gaps = [plan["gap_percent_of_mean"] for plan in plans]
    assert planned["median_gap_percent"] == pytest.approx(np.median(gaps))
    assert planned["p95_gap_percent"] == pytest.approx(np.percentile(gaps, 95))
    assert 0 < planned["longest_s"] <= planned["task_s"]
    kinds = Counter(row["kind"] for row in failures)
    assert summary["failed"] == {"groups": len(failures), "by_kind": kinds}


def test_what_lies_in_the_directory(run: Run) -> None:
    names = {path.name for path in run.folder.iterdir()}
    assert names == {*TABLES, "summary.json", "_SUCCESS"}
    written = json.loads((run.folder / "summary.json").read_text("utf-8"))
    assert written == {"format": "equilag/fleet/1", **json.loads(json.dumps(run.summary))}
    last = (run.folder / "_SUCCESS").stat().st_mtime_ns
    others = [path for path in run.folder.rglob("*") if path.is_file()]
    assert max(path.stat().st_mtime_ns for path in others) == last
    assert set(written["stages_s"]) == {
        "history", "signals", "problems", "solve", "sinks", "summary",
    }  # fmt: skip
