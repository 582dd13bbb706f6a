"""``equilag fleet show``: what a finished run found, on the screen or as JSON."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import whole
from equilag.cli.deliver import show

NAME: Final = "show"
HELP: Final = "what a finished run found: the worst groups first"
DESCRIPTION: Final = """\
Shows a finished run: how many groups are planned and proved optimal, the groups
that are the most uneven today with what a plan saves and how many moves it
costs, how far every assignor is from the proved bound over the whole fleet, the
faults of the data, and which groups are not planned and why."""
EPILOG: Final = """\
Needs neither Spark nor Java.

example:
  equilag fleet show run-1 --top 50"""

TOP: Final = 20
"""Worst groups that a report shows unless another number is asked for: what a screen holds."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the directory of a finished run")
    parser.add_argument(
        "--top",
        metavar="N",
        type=whole(),
        default=TOP,
        help=f"number of worst groups to show (default: {TOP})",
    )
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    options.check_output(args)

    from equilag.pipeline.results.fleet_report import read_report
    from equilag.pipeline.results.run_dir import reading_run
    from equilag.report.facts.fleets.fleet import fleet_facts

    with reading_run(args.directory):
        facts = fleet_facts(read_report(args.directory), args.top)
    show(facts, args)
    return 0
