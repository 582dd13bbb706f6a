"""Rounds of a recording: samples of a cluster at fixed times, or what a server scraped."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from typing import Any

from equilag.adapters.kafka.described import NoAnswer
from equilag.adapters.kafka.group_kinds import left_out_lines
from equilag.adapters.kafka.reading import Reading
from equilag.adapters.kafka.sample import ClusterSampler, Sample, tables_of
from equilag.adapters.prometheus.metric_groups import groups_of
from equilag.adapters.prometheus.series import MetricsRead
from equilag.domain.errors import InputError
from equilag.domain.figures import number, plural
from equilag.pipeline.results.record import Recorder


class Rounds:
    """Counts what was recorded; the last round that was written stands for the whole."""

    def __init__(
        self,
        every: float,
        held: Callable[[], AbstractContextManager[None]],
        remark: Callable[[str], None],
    ) -> None:
        """every: seconds between the beginnings of two rounds. held: within it, nothing ends the
        recording. remark: gets what a round has to say that the round before did not."""
        self._every, self._held, self._remark = every, held, remark
        self._shown: set[str] = set()
        self._is_late = False
        self._due = self.begun = time.monotonic()
        self.recorded = self.skipped = 0
        self.first_ms: int | None = None
        self.last: Sample | None = None

    def sample(self, sampler: ClusterSampler) -> Sample:
        """The sample of one round. Raises NoAnswer."""
        self.begun = time.monotonic()
        return sampler.round()

    def go_on(
        self, first: Sample, sampler: ClusterSampler, recorder: Recorder, most: int | None = None
    ) -> Iterator[str]:
        """Record the first round and the next ones, `most` in all, and yield a line about each.
        Raises InputError if they cannot be written."""
        sample: Sample | None = first
        done = 0
        while most is None or done < most:
            if done:
                self._wait()
                try:
                    sample = self.sample(sampler)
                except NoAnswer as error:
                    sample = None
                    self.skipped += 1
                    self._tell([f"round skipped: {error}"])
            if sample is not None:
                self._tell(_remarks(sample))
                with self._held():
                    self._write(sample, recorder)
                yield self._line(sample)
            done += 1

    def _write(self, sample: Sample, recorder: Recorder) -> None:
        if not sample.n_groups:
            self.skipped += 1
            return
        recorder.add(sample.ts_ms, sample.offsets, sample.members, sample.racks)
        recorder.compact(sample.ts_ms)
        self.recorded += 1
        self.first_ms = sample.ts_ms if self.first_ms is None else self.first_ms
        self.last = sample

    def document(self) -> dict[str, Any]:
        """What was recorded, as JSON values."""
        last = self.last
        return {
            "rounds": {"recorded": self.recorded, "skipped": self.skipped},
            "first_ms": self.first_ms,
            "last_ms": last and last.ts_ms,
            "groups": last.n_groups if last else 0,
            "partitions": last.n_partitions if last else 0,
            "lag": last.lag if last else 0,
            "left_out": dict(last.left_out) if last else {},
        }

    def _wait(self) -> None:
        now = time.monotonic()
        self._due += self._every
        if now > self._due:
            # The next time that is still to come.
            self._due += self._every * ((now - self._due) // self._every + 1)
            if not self._is_late:
                self._is_late = True
                took = f"a round took {now - self.begun:.1f} s, longer than --every"
                self._remark(f"{took}: equilag skips rounds from now on")
        while (left := self._due - time.monotonic()) > 0:
            time.sleep(left)

    def _tell(self, lines: list[str]) -> None:
        for line in lines:
            if line not in self._shown:
                self._remark(line)
        self._shown = set(lines)

    def _line(self, sample: Sample) -> str:
        parts = [
            time.strftime("%H:%M:%S", time.localtime(sample.ts_ms / 1000)),
            plural(sample.n_groups, "group"),
            plural(sample.n_partitions, "partition"),
            f"lag {number(sample.lag)}",
            f"{time.monotonic() - self.begun:.1f} s",
            *([plural(len(self._shown), "remark")] if self._shown else []),
        ]
        return "  ".join(parts)


def _remarks(sample: Sample) -> list[str]:
    """A round's remarks; groups with the same reason are one remark."""
    lines = left_out_lines(sample.left_out)
    if not sample.n_groups and not lines:
        lines.append("no groups to record")
    return [*lines, *sample.remarks]


def record_metrics(read: MetricsRead, folder: str) -> None:
    """Write a round per scrape of what a Prometheus server says of groups. Raises InputError for an
    exporter that knows no owners."""
    if not read.dialect.has_owners:
        problem = f"has metrics of {read.dialect.tool}, which does not say who reads what"
        raise InputError(problem, source=read.source)
    rounds: defaultdict[int, list[Reading]] = defaultdict(list)
    for found in groups_of(read).values():
        for at, offsets in zip(found.times, found.offsets, strict=True):
            # After a rebalance nobody knows who read what before.
            is_known = not found.rebalanced or at == found.times[-1]
            members = found.last.members if is_known else []
            one = replace(found.last, offsets=offsets, members=members)
            rounds[round(1000 * at)].append(one)
    with closing(Recorder(folder)) as recorder:
        for ts_ms, groups in sorted(rounds.items()):
            recorder.add(ts_ms, *tables_of(ts_ms, groups, {}))
