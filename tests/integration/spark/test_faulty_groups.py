"""Groups whose planning raises, crashes, hangs or returns nonsense cost no other group its plan."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

pytest.importorskip("pyarrow")

from support import planners
from support.made_fleets import SETTINGS, Row, make, options, read_table

from benchmarks.fleet.settings import HistorySettings
from equilag.pipeline.job import run_fleet
from equilag.pipeline.rules import Rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

FLEET: Final = HistorySettings(groups=14, partitions=200, samples=2, every=60, seed=5)


@pytest.fixture(scope="module")
def by_value() -> Iterator[None]:
    """Send the planner's module along: the workers know nothing of the tests' directory."""
    from pyspark import cloudpickle

    module = sys.modules[planners.__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.fixture(scope="module")
def outcome(
    spark: SparkSession, by_value: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[planners.Misbehaving, dict[str, Row], list[Row]]:
    """The planner, the failures by group, and the plans."""
    folder = tmp_path_factory.mktemp("faulty")
    make(folder / "history", FLEET)
    groups = sorted({row["group"] for row in read_table(folder / "history", "members")})
    planner = planners.Misbehaving(*groups[1:12:2])
    # One bin for all: a process that is gone must be replaced for the groups after it.
    chosen = options(
        folder / "history",
        folder / "run",
        rules=Rules(replace(SETTINGS, time_limit=0.5)),
        tasks=1,
        kill_after=2.0,
    )
    summary = run_fleet(chosen, planner=planner)
    failures = read_table(folder / "run", "failures")
    assert summary["failed"]["groups"] == len(failures)
    plans = read_table(folder / "run", "plans")
    names = [row["group"] for row in plans + failures]
    assert sorted(names) == groups
    return planner, {row["group"]: row for row in failures}, plans


Outcome = tuple[planners.Misbehaving, dict[str, Row], list[Row]]


@pytest.mark.parametrize(
    ("which", "kind", "reason"),
    [
        ("raising", "error", "KeyError: 'no such\\nthing'"),
        ("killed", "crash", "the process was ended by SIGKILL"),
        ("exiting", "crash", "the process ended with status 3"),
        ("hanging", "timeout", "no result within 3 s; process killed"),
        (
            "silly",
            "error",
            "the planner returned no valid result: AttributeError: 'str' object has no",
        ),
        ("odd", "error", "the planner returned no valid result: Arrow"),
    ],
)
def test_each_is_a_row_of_failures(outcome: Outcome, which: str, kind: str, reason: str) -> None:
    planner, failures, _ = outcome
    row = failures[getattr(planner, which)]
    assert row["kind"] == kind
    assert row["reason"].startswith(reason)


def test_all_others_are_planned(outcome: Outcome) -> None:
    _, failures, plans = outcome
    assert len(failures) == 6
    assert len(plans) == FLEET.groups - 6
    assert all(row["status"] in ("optimal", "feasible") for row in plans)
