"""``equilag collect``: records offsets and memberships of a live cluster."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any, Final

from equilag.cli.arguments.cluster import CLUSTER, GROUPS, client_config
from equilag.cli.arguments.conversions import duration, whole
from equilag.cli.arguments.options import Option
from equilag.cli.group_command import CliCommand
from equilag.cli.screen import emit, remark
from equilag.cli.stop_signals import Stop
from equilag.domain.errors import InputError
from equilag.report.outputs import to_json
from equilag.report.terminal import is_terminal

if TYPE_CHECKING:
    from equilag.pipeline.results.rounds import Rounds

FORMAT: Final = "equilag/collection/1"


def run(args: argparse.Namespace) -> int:
    from equilag.pipeline.results.record import Recorder, check_folder

    config = client_config(args)
    check_folder(args.out)

    from equilag.adapters.kafka.described import NoAnswer
    from equilag.adapters.kafka.sample import ClusterSampler
    from equilag.pipeline.results.rounds import Rounds

    with ExitStack() as stack:
        stop = stack.enter_context(Stop())
        sampler = stack.enter_context(closing(ClusterSampler(config, args.groups)))
        rounds = Rounds(args.every, stop.held, remark)
        try:
            # Before the folder is created: an unreadable cluster leaves nothing behind.
            first = rounds.sample(sampler)
        except NoAnswer as error:
            raise InputError(str(error), "", args.bootstrap_server) from error
        recorder = stack.enter_context(closing(Recorder(args.out)))
        for line in rounds.go_on(first, sampler, recorder, args.rounds):
            if is_terminal(sys.stderr):
                with suppress(OSError):
                    sys.stderr.write(f"{line}\n")
    if args.json:
        emit(to_json(document(args, rounds)))
    return 0


def document(args: argparse.Namespace, rounds: Rounds) -> dict[str, Any]:
    """The JSON of what was recorded; groups, partitions, lag and what was left out are those of the
    last round that was written."""
    settings = {
        "bootstrap_server": args.bootstrap_server,
        "groups": None if args.groups is None else args.groups.pattern,
        "every_s": args.every,
        "rounds": args.rounds,
    }
    return {"format": FORMAT, "directory": args.out, "settings": settings, **rounds.document()}


COLLECT: Final = CliCommand(
    "collect",
    "record the groups of a live cluster as parquet",
    """\
Records every group's members, subscriptions, assignment, commits and log ends
at intervals, as the parquet files that equilag fleet reads. equilag never joins
a group or commits. It needs DESCRIBE on groups and their topics, and leaves out
groups without it. Log sizes need DESCRIBE on the cluster; without it they stay
empty.""",
    """\
DIR gets offsets/ and members/. Stop the recording with Ctrl-C or SIGTERM (exit
status 0); the current round is then written completely or dropped. Started
again with the same DIR, also after a crash, it adds to the files there.

example:
  equilag collect --bootstrap-server kafka:9092 --every 30s --out history""",
    run,
    (
        *CLUSTER,
        Option("--out", "DIR", "directory of the history", required=True),
        Option("--every", "T", "interval between rounds, such as 30s, 5m or 1h", duration, 30.0),
        GROUPS,
        Option("--rounds", "N", "stop after N rounds", whole()),
        Option("--json", "", "print what was recorded as JSON at the end"),
    ),
)  # fmt: skip
