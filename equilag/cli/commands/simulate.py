"""``equilag simulate``: lag over time, with and without a plan."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.answering import answering, status_of
from equilag.cli.arguments import options
from equilag.cli.arguments.converters import OneOf, duration, seconds
from equilag.cli.arguments.given_plan import add_plan, place_files, read_inputs
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source
from equilag.cli.deliver import draw, plot_file, show
from equilag.domain.policy.policy import Policy

NAME: Final = "simulate"
HELP: Final = "how lag develops, with and without a plan"
DESCRIPTION: Final = """\
Computes lag over time, under the current assignment and under a plan's: when
everything is read, or who falls behind by how much. It needs the members'
capacities in records per second, and the rates at which records are produced."""
EPILOG: Final = """\
Without PLAN it makes one, with the options of equilag plan. With PLAN, only
--capacity of these may be given. --plot needs matplotlib:
pip install 'equilag[plot]'

example:
  equilag simulate snapshot.json plan.json --for 30m --plot lag.svg"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_plan(parser)
    options.add(
        parser,
        Option("--for", "D", "how far ahead to look, such as 90s or 1h (default: until all is read,"
               " at most 1h)", duration),
        Option("--pause", "S", "seconds that the rebalance to the plan takes (default: 2.3)",
               seconds, 2.3),
        Option("--protocol", "P", "protocol of the rebalance; eager: all partitions pause;"
               " cooperative: only those that change hands (default: eager)",
               OneOf(("eager", "cooperative")), "eager"),
        Option("--plot", "F", "draw lag over time to this file: .svg or .png"),
    )  # fmt: skip
    add_settings(parser, "plan")
    options.add_run(parser, time_limit=2.0)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    place_files(args)
    policy = policy_of(args, "plan")
    if args.plan is not None and policy != Policy(capacity=policy.capacity):
        args.refuse("with PLAN only --capacity of the options that make a plan has an effect")
    options.check_output(args)
    plot = plot_file(args, args.snapshot, args.plan)
    group, plan = read_inputs(args, policy)

    from equilag.planner.simulate import simulate
    from equilag.report.reports.simulation import SimulationReport

    with answering(args, policy) as settings:
        found = simulate(
            group, plan, duration=getattr(args, "for"), pause=args.pause, protocol=args.protocol,
            policy=policy, **settings,
        )  # fmt: skip
    report = SimulationReport(found)
    draw(plot, lambda: report.chart, group.name)
    show(report, args)
    return status_of(interrupted=report.interrupted)
