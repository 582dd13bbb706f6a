"""``equilag size``: how many members a group needs."""

from __future__ import annotations

import argparse
import re
from typing import Final

from equilag.cli.answering import status_of
from equilag.cli.arguments import options
from equilag.cli.arguments.converters import duration, whole, wrong
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.deliver import show
from equilag.cli.stop_signals import stopping

NAME: Final = "size"
HELP: Final = "how many members a group needs, and when more help no further"
DESCRIPTION: Final = """\
For each number of members, computes how heavy the heaviest one is at best, and
proves it: how many members keep up with what is produced, how long they take to
read everything, and at which numbers another member helps."""
EPILOG: Final = """\
All partitions are planned anew, so there are no options about owners, moves,
racks or single members. New members are called new-1, new-2, ...;
--capacity 'new-*=N' sets their capacity.

example:
  equilag size snapshot.json --capacity '*=1000' --catch-up 10m"""
HELPS: Final = {
    "weight": "lag; rate: records produced per second; work: lag + rate x horizon; given: the"
    " snapshot's weights (default: rate where rates are known, else lag)",
    "tolerance": "a size helps if its heaviest load is lower by more than so many percent"
    " (default: 1)",
}
_RANGE: Final = re.compile(r"([0-9]{1,6})(?:\.\.([0-9]{1,6}))?")


def sizes(text: str) -> tuple[int, int]:
    """A first and a last number, from 1 on: ``4..12``, or ``8`` for one."""
    found = _RANGE.fullmatch(text.strip())
    first = int(found[1]) if found else 0
    last = int(found[2] or found[1]) if found else 0
    if not 0 < first <= last:
        raise wrong(text, "not a range such as 4..12")
    return first, last


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    options.add(
        parser,
        Option("--members", "FROM..TO", "numbers of members to look at (default: from 1 to the"
               " number of partitions)", sizes),
        Option("--threads", "N", "count processes of N threads, each of which is a member (default:"
               " as many as the instances of the group have, or 1)", whole()),
        Option("--catch-up", "D", "how many members have read everything within D, such as 90s or"
               " 10m", duration),
    )  # fmt: skip
    add_settings(parser, "size", helps=HELPS)
    options.add_run(parser, time_limit=10.0)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    policy = policy_of(args, "size")
    options.check_output(args)
    group = read_group(args)

    from equilag.planner.size import size
    from equilag.report.reports.size import SizeReport

    with stopping() as stop, options.named(policy):
        sizing = size(
            group, policy, members=args.members, threads=args.threads, catch_up=args.catch_up,
            time_limit=args.time_limit, effort=options.effort_of(args), seed=args.seed, stop=stop,
        )  # fmt: skip
    show(SizeReport(group, sizing), args)
    return status_of(interrupted=sizing.interrupted)
