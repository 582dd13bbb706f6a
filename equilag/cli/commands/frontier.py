"""``equilag frontier``: all trade-offs between moves and lag spread."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.deliver import plot_file, show
from equilag.cli.progress_line import ProgressLine
from equilag.cli.screen import FINE, INTERRUPTED
from equilag.cli.stop_signals import stopping

NAME: Final = "frontier"
HELP: Final = "all trade-offs between moves and lag spread"
DESCRIPTION: Final = """\
Lists how even the lag can be: for each number of moves the
smallest lag spread that was found, and its proved lower bound."""
EPILOG: Final = """\
--move-cost and --tolerance choose one of the points, so they change nothing
here. --plot needs matplotlib: pip install 'equilag[plot]'

example:
  equilag frontier snapshot.json --plot frontier.svg"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_settings(parser, "plan")
    options.add_run(parser, time_limit=5.0)
    options.add_output(parser)
    options.add_plot(parser, "the trade-offs")


def run(args: argparse.Namespace) -> int:
    policy = policy_of(args, "plan")
    options.check_output(args)
    plot = plot_file(args, args.snapshot)
    group = read_group(args, policy)

    from equilag.planner.frontier import frontier
    from equilag.report.facts.frontier import frontier_facts

    with stopping() as stop, ProgressLine() as progress, options.named(policy):
        points = frontier(group, policy, **options.settings_of(args, progress, stop))
    settings = options.run_settings(args)
    facts = frontier_facts(group, points, policy, interrupted=stop.is_set(), run=settings)
    if plot is not None:
        from equilag.report.plot import frontier_plot

        target, ending = plot
        target.write(frontier_plot(facts, ending))
    show(facts, args)
    return INTERRUPTED if facts.interrupted else FINE
