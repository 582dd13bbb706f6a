"""``equilag collect``: records offsets and memberships of a live cluster."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any, Final

from equilag.cli.arguments.cluster import GROUPS, add_cluster, client_settings, left_out_lines
from equilag.cli.arguments.converters import duration, whole
from equilag.cli.arguments.options import Option, add, add_json
from equilag.cli.screen import emit, remark
from equilag.cli.stop_signals import Stop
from equilag.domain.errors import InputError
from equilag.domain.figures import number, plural
from equilag.report.json_text import to_json
from equilag.report.terminal import is_terminal

if TYPE_CHECKING:
    from equilag.adapters.kafka.sample import ClusterSampler
    from equilag.adapters.kafka.sample_rows import Sample
    from equilag.pipeline.results.record import Recorder

FORMAT: Final = "equilag/collection/1"
NAME: Final = "collect"
HELP: Final = "record the groups of a live cluster as parquet"
DESCRIPTION: Final = """\
Records every group's members, subscriptions, assignment, commits and log ends
at intervals, as the parquet files that equilag fleet reads. equilag never joins
a group or commits. It needs DESCRIBE on groups and topics, and leaves out
topics without it. Log sizes need DESCRIBE on the cluster; without it they stay
empty."""
EPILOG: Final = """\
DIR gets offsets/ and members/. Stop the recording with Ctrl-C or SIGTERM (exit
status 0); the current round is then written completely or dropped. Started
again with the same DIR, also after a crash, it adds to the files there.

example:
  equilag collect --bootstrap-server kafka:9092 --every 30s --out history"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser)
    parser.add_argument("--out", metavar="DIR", required=True, help="directory of the history")
    every = "interval between rounds, such as 30s, 5m or 1h (default: 30s)"
    add(parser, Option("--every", "T", every, duration, 30.0), GROUPS)
    add(parser, Option("--rounds", "N", "stop after N rounds", whole()))
    add_json(parser, "print what was recorded as JSON at the end")


def run(args: argparse.Namespace) -> int:
    from equilag.adapters.kafka.client_config import kafka_config
    from equilag.pipeline.results.record import Recorder, check_folder

    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))
    check_folder(args.out)

    from equilag.adapters.kafka.sample import ClusterSampler, NoAnswer

    with ExitStack() as stack:
        stop = stack.enter_context(Stop())
        sampler = stack.enter_context(closing(ClusterSampler(config, args.groups)))
        rounds = Rounds(args.every, args.rounds, stop)
        try:
            # Before the folder is created: an unreadable cluster leaves nothing behind.
            first = rounds.sample(sampler)
        except NoAnswer as error:
            raise InputError(str(error), "", args.bootstrap_server) from error
        recorder = stack.enter_context(closing(Recorder(args.out)))
        rounds.go_on(first, sampler, recorder)
    if args.json:
        emit(to_json(rounds.document(args)))
    return 0


class Rounds:
    """Runs rounds at fixed times, and writes remarks to stderr."""

    def __init__(self, every: float, max_rounds: int | None, stop: Stop) -> None:
        self._every = every
        self._max_rounds = max_rounds
        self._stop = stop
        self._shown: set[str] = set()
        self._late = False
        self._recorded = 0
        self._first_ms: int | None = None
        self._skipped = 0
        self._last: Sample | None = None
        self._due = self._begun = time.monotonic()

    def sample(self, sampler: ClusterSampler) -> Sample:
        """Return the sample of one round. Raises NoAnswer."""
        self._begun = time.monotonic()
        return sampler.round()

    def go_on(self, first: Sample, sampler: ClusterSampler, recorder: Recorder) -> None:
        """Record the first round and all others. Raises InputError if they cannot be written."""
        from equilag.adapters.kafka.sample import NoAnswer

        sample: Sample | None = first
        done = 0
        while self._max_rounds is None or done < self._max_rounds:
            if done:
                self._wait()
                try:
                    sample = self.sample(sampler)
                except NoAnswer as error:
                    sample = None
                    self._skipped += 1
                    self._remarks([f"round skipped: {error}"])
            if sample is not None:
                self._remarks(_remarks(sample))
                with self._stop.held():
                    if sample.n_groups:
                        recorder.add(sample.ts_ms, sample.offsets, sample.members, sample.racks)
                        recorder.compact(sample.ts_ms)
                        self._count(sample)
                    else:
                        self._skipped += 1
                self._line(sample)
            done += 1

    def _count(self, sample: Sample) -> None:
        self._recorded += 1
        if self._first_ms is None:
            self._first_ms = sample.ts_ms
        self._last = sample

    def document(self, args: argparse.Namespace) -> dict[str, Any]:
        """The JSON of what was recorded; groups, partitions, lag and what was left out are those
        of the last round that was written."""
        last = self._last
        return {
            "format": FORMAT,
            "directory": args.out,
            "settings": {
                "bootstrap_server": args.bootstrap_server,
                "groups": None if args.groups is None else args.groups.pattern,
                "every_s": args.every,
                "rounds": args.rounds,
            },
            "rounds": {"recorded": self._recorded, "skipped": self._skipped},
            "first_ms": self._first_ms,
            "last_ms": None if last is None else last.ts_ms,
            "groups": 0 if last is None else last.n_groups,
            "partitions": 0 if last is None else last.n_partitions,
            "lag": 0 if last is None else last.lag,
            "left_out": {} if last is None else dict(last.left_out),
        }

    def _wait(self) -> None:
        now = time.monotonic()
        self._due += self._every
        if now > self._due:
            # The next time that is still to come.
            self._due += self._every * ((now - self._due) // self._every + 1)
            if not self._late:
                self._late = True
                took = f"{now - self._begun:.1f} s"
                remark(
                    f"a round took {took}, longer than --every: equilag skips rounds from now on"
                )
        while (left := self._due - time.monotonic()) > 0:
            time.sleep(left)

    def _remarks(self, lines: list[str]) -> None:
        """Write the remarks that the round before did not have."""
        for line in lines:
            if line not in self._shown:
                remark(line)
        self._shown = set(lines)

    def _line(self, sample: Sample) -> None:
        if not is_terminal(sys.stderr):
            return
        parts = [
            time.strftime("%H:%M:%S", time.localtime(sample.ts_ms / 1000)),
            plural(sample.n_groups, "group"),
            plural(sample.n_partitions, "partition"),
            f"lag {number(sample.lag)}",
            f"{time.monotonic() - self._begun:.1f} s",
        ]
        if self._shown:
            parts.append(plural(len(self._shown), "remark"))
        with suppress(OSError):
            sys.stderr.write("  ".join(parts) + "\n")


def _remarks(sample: Sample) -> list[str]:
    """Return a round's remarks; groups with the same reason are one remark."""
    lines = left_out_lines(sample.left_out)
    if not sample.n_groups and not lines:
        lines.append("no groups to record")
    return [*lines, *sample.remarks]
