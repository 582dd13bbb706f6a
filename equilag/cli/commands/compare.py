"""``equilag compare``: every assignor, the current assignment and the optimum side by side."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.answering import answering, status_of
from equilag.cli.arguments import options
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.deliver import show

NAME: Final = "compare"
HELP: Final = "all assignors, the current assignment and the optimum side by side"
DESCRIPTION: Final = """\
Compares every assignor, the current assignment and equilag's own plan: how even
their counts and their lag are, how many partitions they move, and how far they
are from the proved bound."""
EPILOG: Final = """\
example:
  equilag compare snapshot.json --time-limit 5"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_settings(parser, "plan", {"tolerance": 0.0})
    options.add_run(parser, time_limit=2.0)
    options.add(parser, options.COMPARED)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    policy = policy_of(args, "plan", {"tolerance": 0.0})
    options.check_output(args)
    options.check_assignors(args.assignor)
    group = read_group(args, policy)

    from equilag.planner.compare import compare
    from equilag.report.reports.comparison import ComparisonReport

    with answering(args, policy) as settings:
        comparison = compare(group, policy, assignors=args.assignor, **settings)
    show(ComparisonReport(comparison), args)
    return status_of(interrupted=comparison.plan.interrupted)
