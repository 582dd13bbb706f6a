"""``equilag assign``: one heuristic as it is."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli import options
from equilag.cli.deliver import deliver, target_of
from equilag.cli.source import add_source, read_group

NAME: Final = "assign"
HELP: Final = "what one assignor makes of the group, as it is"
DESCRIPTION: Final = """\
Runs one assignor of Kafka, of its improvement proposals, or of your own. Its
answer is taken as it is: nothing is improved, nothing claimed about it."""
EPILOG: Final = """\
assignors:
  range, round-robin   as in Kafka's clients
  fair                 KIP-49
  sticky               KIP-54, with the ownership rule of Kafka 4
  lag-aware            KIP-169
  constrained-sticky   KIP-615
  and installed ones by name, or MODULE:ATTRIBUTE

example:
  equilag assign snapshot.json --assignor range"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument(
        "--assignor", metavar="NAME", required=True, help="which one; see the list below"
    )
    options.add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    target = target_of(args)

    from equilag.heuristics.registry import get_assignor
    from equilag.planner.assign import assign

    with options.named():
        get_assignor(args.assignor)  # a wrong name is worth saying before a large file is read
        group = read_group(args)
        plan = assign(group, args.assignor)

    deliver(plan, args, target)
    return 0
