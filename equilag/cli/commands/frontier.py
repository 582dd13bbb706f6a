"""``equilag frontier``: all trade-offs between moves and lag spread."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.answering import answering, status_of
from equilag.cli.arguments import options
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.deliver import draw, plot_file, show

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
    options.add(parser, Option("--plot", "F", "draw the trade-offs to this file: .svg or .png"))


def run(args: argparse.Namespace) -> int:
    policy = policy_of(args, "plan")
    options.check_output(args)
    plot = plot_file(args, args.snapshot)
    group = read_group(args, policy)

    from equilag.planner.facts.front import front_facts
    from equilag.planner.frontier import frontier
    from equilag.report.reports.frontier import FrontierReport, front_chart

    effort = options.effort_of(args)
    with answering(args, policy) as settings:
        points = frontier(group, policy, **settings)
        stop = settings["stop"]
    front = front_facts(
        group, points, policy, interrupted=stop is not None and stop.is_set(),
        run={"seed": args.seed, **({} if effort is None else {"effort": effort})},
    )  # fmt: skip
    draw(plot, lambda: front_chart(front), group.name)
    show(FrontierReport(front), args)
    return status_of(interrupted=front.interrupted)
