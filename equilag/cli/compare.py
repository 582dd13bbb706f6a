"""``equilag compare``: every assignor, the current assignment and the optimum side by side."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli import FINE, INTERRUPTED, options
from equilag.cli.deliver import show
from equilag.cli.interruption import stopping
from equilag.cli.progress_line import ProgressLine
from equilag.cli.real_options import add_real, add_weight
from equilag.cli.source import add_source, read_group

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
    options.add_planning(parser, time_limit=2.0, tolerance=0.0)
    add_weight(parser)
    add_real(parser)
    options.add_compared_assignors(parser)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    policy = options.policy_of(args)
    options.check_output(args)

    from equilag.heuristics.registry import get_assignor
    from equilag.planner.compare import compare

    with options.named(policy):
        for name in args.assignor:
            get_assignor(name)  # raises for a wrong name before a large file is read
        group = read_group(args, policy)
        with stopping() as stop, ProgressLine() as progress:
            settings = options.settings_of(args, progress, stop)
            comparison = compare(group, policy, assignors=args.assignor, **settings)

    from equilag.report.facts.comparison import comparison_facts

    show(comparison_facts(group, comparison), args)
    return INTERRUPTED if comparison.plan.interrupted else FINE
