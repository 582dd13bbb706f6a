"""Progress and seconds of the stages of a run, with a Spark that the test controls."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from equilag.pipeline.session import Stages

SECONDS = 10.0
"""No report takes so long, even on a slow machine."""


@dataclass
class FakeSpark:
    """A session, its context and its status tracker in one."""

    jobs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Job -> its stages."""
    tasks: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Stage -> completed tasks and all tasks."""
    group: str = ""

    @property
    def sparkContext(self) -> FakeSpark:  # noqa: N802 - the name in Spark
        return self

    def setJobGroup(self, group: str, description: str) -> None:  # noqa: N802
        self.group = group

    def statusTracker(self) -> FakeSpark:  # noqa: N802
        return self

    def getJobIdsForGroup(self, group: str) -> list[int]:  # noqa: N802
        return [*self.jobs] if group == self.group else []

    def getJobInfo(self, job: int) -> Any:  # noqa: N802
        stages = self.jobs[job]
        return SimpleNamespace(stageIds=stages) if stages else None

    def getStageInfo(self, stage: int) -> Any:  # noqa: N802
        if stage not in self.tasks:
            return None
        completed, total = self.tasks[stage]
        return SimpleNamespace(numCompletedTasks=completed, numTasks=total)


def reports(spark: FakeSpark, wanted: int) -> list[tuple[str, int, int]]:
    """The first `wanted` reports of a stage that runs until they have arrived."""
    seen: list[tuple[str, int, int]] = []
    enough = threading.Event()

    def watcher(name: str, done: int, total: int) -> None:
        seen.append((name, done, total))
        if len(seen) >= wanted:
            enough.set()

    with Stages(spark, watcher).stage("solve"):  # type: ignore[arg-type]
        assert enough.wait(SECONDS)
    return seen[:wanted]


def test_tasks_are_added_up_over_jobs_and_stages() -> None:
    spark = FakeSpark({1: (10, 11), 2: (20,), 3: ()}, {10: (4, 4), 11: (1, 8), 20: (2, 3)})
    assert reports(spark, 2) == [("solve", 0, 0), ("solve", 7, 15)]
    assert spark.group == "equilag solve"


def test_a_stage_that_spark_has_forgotten_is_left_out() -> None:
    assert reports(FakeSpark({1: (10, 11)}, {10: (4, 5)}), 2)[1] == ("solve", 4, 5)


def test_a_failing_tracker_does_not_fail_the_stage() -> None:
    spark = FakeSpark({1: (10,)}, {10: (1, 2)})
    spark.getJobInfo = lambda job: {}[job]  # type: ignore[method-assign]
    assert reports(spark, 1) == [("solve", 0, 0)]


def test_seconds_are_added_up_by_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 2.0, 10.0, 11.5, 20.0, 24.0])
    stages = Stages(FakeSpark())  # type: ignore[arg-type]
    monkeypatch.setattr("equilag.pipeline.session.time.monotonic", lambda: next(times))
    for name in ("signals", "solve"):
        with stages.stage(name):
            pass
    with pytest.raises(KeyError), stages.stage("solve"):
        raise KeyError
    assert stages.seconds == {"signals": 2.0, "solve": 5.5}
