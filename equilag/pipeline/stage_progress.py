"""The progress of a stage, as finished Spark tasks, and the seconds of each stage."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD: Final = 0.3
"""Seconds between two reports: a few per second are enough for a person to see progress."""

Watcher = Callable[[str, int, int], None]
"""Called with a stage's name, its finished tasks and all its tasks (0 and 0: not known yet)."""


@dataclass(slots=True)
class Stages:
    """Runs the stages of a job one after the other and measures the seconds of each."""

    spark: SparkSession
    watcher: Watcher | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the Spark jobs inside this context as one stage."""
        context = self.spark.sparkContext
        group = f"equilag {name}"
        context.setJobGroup(group, name)
        done = threading.Event()
        thread = threading.Thread(target=self._watch, args=(name, group, done), daemon=True)
        start = time.monotonic()
        if self.watcher is not None:
            self.watcher(name, 0, 0)
            thread.start()
        try:
            yield
        finally:
            done.set()
            if self.watcher is not None:
                thread.join()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start

    def _watch(self, name: str, group: str, done: threading.Event) -> None:
        tracker = self.spark.sparkContext.statusTracker()
        while not done.wait(PERIOD):
            finished = total = 0
            with suppress(Exception):  # a failing progress display must not fail the run
                for job in tracker.getJobIdsForGroup(group):
                    info = tracker.getJobInfo(job)
                    for stage_id in info.stageIds if info is not None else ():
                        stage = tracker.getStageInfo(stage_id)
                        if stage is not None:
                            finished += stage.numCompletedTasks
                            total += stage.numTasks
                if self.watcher is not None:
                    self.watcher(name, finished, total)
