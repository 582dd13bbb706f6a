"""``equilag assign``: the plan of one assignor."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.deliver import deliver, plan_file

NAME: Final = "assign"
HELP: Final = "the plan of one assignor, not optimised"
DESCRIPTION: Final = """\
Runs one assignor of Kafka, of its improvement proposals, or of your own. Its
result is not optimised, and nothing is claimed about its balance."""
EPILOG: Final = """\
assignors:
  range, round-robin   as in Kafka's clients
  fair                 KIP-49
  sticky               KIP-54, with the ownership rule of Kafka 4
  lag-aware            KIP-169
  constrained-sticky   KIP-615
  uniform              as in Kafka's brokers 4.1 to 4.4 (KIP-848)
  broker-range         their range
  and installed ones by name, or MODULE:ATTRIBUTE

example:
  equilag assign snapshot.json --assignor range"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument(
        "--assignor", metavar="NAME", required=True, help="the assignor to run; see the list below"
    )
    options.add_plan_outputs(parser)


def run(args: argparse.Namespace) -> int:
    target = plan_file(args)
    options.check_assignors([args.assignor])

    from equilag.planner.assign import assign

    with options.named():
        plan = assign(read_group(args), args.assignor)

    from equilag.report.reports.plan import PlanReport

    deliver(PlanReport(plan, verbose=args.verbose), args, target)
    return 0
