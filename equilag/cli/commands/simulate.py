"""``equilag simulate``: lag over time, with and without a plan."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import OneOf, duration, seconds
from equilag.cli.arguments.given_plan import add_plan, place_files, planning, read_inputs
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source
from equilag.cli.deliver import plot_file, show
from equilag.cli.screen import FINE, INTERRUPTED
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
    parser.add_argument(
        "--for",
        dest="duration",
        metavar="D",
        type=duration,
        help="how far ahead to look, such as 90s or 1h (default: until all is read, at most 1h)",
    )
    parser.add_argument(
        "--pause",
        metavar="S",
        type=seconds,
        default=2.3,
        help="seconds that the rebalance to the plan takes (default: 2.3)",
    )
    parser.add_argument(
        "--protocol",
        metavar="P",
        type=OneOf(("eager", "cooperative")),
        default="eager",
        help="protocol of the rebalance; eager: all partitions pause; cooperative: only those"
        " that change hands (default: eager)",
    )
    options.add_plot(parser, "lag over time")
    add_settings(parser, "plan")
    options.add_run(parser, time_limit=2.0)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    place_files(args)
    policy = policy_of(args, "plan")
    if args.plan is not None and _makes_plans(policy):
        args.refuse("with PLAN only --capacity of the options that make a plan has an effect")
    options.check_output(args)
    plot = plot_file(args, args.snapshot, args.plan)
    group, plan = read_inputs(args, policy)

    from equilag.planner.simulate import simulate
    from equilag.report.facts.simulation import simulation_facts

    with planning(args, policy) as (progress, stop):
        found = simulate(
            group,
            plan,
            duration=args.duration,
            pause=args.pause,
            protocol=args.protocol,
            policy=policy,
            **options.settings_of(args, progress, stop),
        )
    facts = simulation_facts(found)
    if plot is not None:
        from equilag.report.plot import simulation_plot

        target, ending = plot
        target.write(simulation_plot(facts, ending))
    show(facts, args)
    return INTERRUPTED if facts.interrupted else FINE


def _makes_plans(policy: Policy) -> bool:
    """True if the policy says more than the members' capacities."""
    return policy != Policy(capacity=policy.capacity)
