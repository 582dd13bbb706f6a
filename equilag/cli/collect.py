"""``equilag collect``: a history of offsets and memberships, recorded from a live cluster."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Final

from equilag.cli import options
from equilag.cli.cluster import add_cluster, client_settings
from equilag.cli.screen import remark
from equilag.errors import InputError
from equilag.report.terminal import is_terminal
from equilag.report.words import listed, number, plural

if TYPE_CHECKING:
    from equilag.adapters.kafka.sample import ClusterSampler
    from equilag.adapters.kafka.sample_rows import Sample
    from equilag.pipeline.record import Recorder

NAME: Final = "collect"
HELP: Final = "a history of all groups of a live cluster, as parquet"
DESCRIPTION: Final = """\
Records every group's members, subscriptions, assignment, commits and log ends,
round by round, as the parquet files that equilag fleet reads. It joins no group
and commits nothing: rights to describe groups and topics are enough. Topics
that may not be described are not seen; sizes of logs need the right to describe
the cluster and are left empty without it."""
EPILOG: Final = """\
DIR gets offsets/ and members/. A run can be stopped with Ctrl-C or SIGTERM (the
round at hand is then dropped, or written whole; exit status 0), killed, and
started again with the same DIR: it adds to what is there.

example:
  equilag collect --bootstrap-server kafka:9092 --every 30s --out history"""

_MOST: Final = 5
"""Groups that one remark names."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser)
    parser.add_argument("--out", metavar="DIR", required=True, help="where the history is kept")
    parser.add_argument(
        "--every",
        metavar="T",
        type=options.duration,
        default=30.0,
        help="from one round to the next: 30s (unless told), 5m, 1h",
    )
    parser.add_argument(
        "--groups",
        metavar="REGEX",
        type=options.pattern,
        help="only groups whose whole name this matches, such as 'orders-.*'",
    )
    parser.add_argument(
        "--rounds", metavar="N", type=options.whole(), help="stop after so many rounds"
    )


def run(args: argparse.Namespace) -> int:
    from equilag.adapters.kafka.client_config import kafka_config
    from equilag.pipeline.record import Recorder, check_folder

    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))
    check_folder(args.out)

    from equilag.adapters.kafka.sample import ClusterSampler, NoAnswer

    with ExitStack() as stack:
        stop = stack.enter_context(Stop())
        sampler = stack.enter_context(closing(ClusterSampler(config, args.groups)))
        rounds = Rounds(args.every, args.rounds, stop)
        try:
            # Before the folder is made: a cluster that cannot be read leaves nothing behind.
            first = rounds.sample(sampler)
        except NoAnswer as error:
            raise InputError(str(error), "", args.bootstrap_server) from error
        recorder = stack.enter_context(closing(Recorder(args.out)))
        rounds.go_on(first, sampler, recorder)
    return 0


class Stopped(BaseException):
    """Somebody asked for the end. No Exception, so that nothing takes it for a failure."""


class Stop:
    """SIGINT and SIGTERM end the `with` block at once, but for what is in `held`."""

    def __init__(self) -> None:
        self._asked = False
        self._raised = False
        self._held = False

    def __enter__(self) -> Stop:
        self._before = {
            which: signal.signal(which, self._on_signal)
            for which in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        for which, handler in self._before.items():
            signal.signal(which, handler)
        return isinstance(error, Stopped)

    @contextmanager
    def held(self) -> Iterator[None]:
        """What must not be left half done: the end comes after it."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self._end_if_asked()

    def _on_signal(self, *_: object) -> None:
        self._asked = True
        if not self._held:
            self._end_if_asked()

    def _end_if_asked(self) -> None:
        # Once only: a second signal must not break off the tidying up.
        if self._asked and not self._raised:
            self._raised = True
            raise Stopped


class Rounds:
    """One round after the other, at fixed times; what there is to say of them, on stderr."""

    def __init__(self, every: float, most: int | None, stop: Stop) -> None:
        self._every = every
        self._most = most
        self._stop = stop
        self._said: set[str] = set()
        self._late = False
        self._due = self._begun = time.monotonic()

    def sample(self, sampler: ClusterSampler) -> Sample:
        """One round. Raises NoAnswer."""
        self._begun = time.monotonic()
        return sampler.round()

    def go_on(self, first: Sample, sampler: ClusterSampler, recorder: Recorder) -> None:
        """Record the first round and all others. Raises InputError if they cannot be written."""
        from equilag.adapters.kafka.sample import NoAnswer

        sample: Sample | None = first
        done = 0
        while self._most is None or done < self._most:
            if done:
                self._wait()
                try:
                    sample = self.sample(sampler)
                except NoAnswer as error:
                    sample = None
                    self._remarks([f"no round, trying again with the next one: {error}"])
            if sample is not None:
                self._remarks(_remarks(sample))
                with self._stop.held():
                    if sample.n_groups:
                        recorder.add(sample.ts_ms, sample.offsets, sample.members)
                        recorder.compact(sample.ts_ms)
                self._line(sample)
            done += 1

    def _wait(self) -> None:
        now = time.monotonic()
        self._due += self._every
        if now > self._due:
            # The next of the times that is still to come.
            self._due += self._every * ((now - self._due) // self._every + 1)
            if not self._late:
                self._late = True
                took = f"{now - self._begun:.1f} s"
                remark(f"a round took {took}, longer than --every: some are skipped from now on")
        while (left := self._due - time.monotonic()) > 0:
            time.sleep(left)

    def _remarks(self, lines: list[str]) -> None:
        """Say what was not said of the round before already."""
        for line in lines:
            if line not in self._said:
                remark(line)
        self._said = set(lines)

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
        if self._said:
            parts.append(plural(len(self._said), "remark"))
        with suppress(OSError):
            sys.stderr.write("  ".join(parts) + "\n")


def _remarks(sample: Sample) -> list[str]:
    """What a round has to say, groups that were left out for the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for group, reason in sorted(sample.left_out.items()):
        by_reason.setdefault(reason, []).append(group)
    lines = [f"left out: {listed(groups, _MOST)}: {why}" for why, groups in by_reason.items()]
    if not sample.n_groups and not lines:
        lines.append("there is no group to record")
    return [*lines, *sample.remarks]
