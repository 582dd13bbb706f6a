"""``equilag plan``: the best plan within a time limit."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.deliver import deliver, plan_file
from equilag.cli.progress_line import ProgressLine
from equilag.cli.screen import ACT, FINE, INTERRUPTED
from equilag.cli.stop_signals import stopping

NAME: Final = "plan"
HELP: Final = "the best plan within a time limit, with its certificate"
DESCRIPTION: Final = """\
Finds an assignment of the group's partitions with even counts, then the
smallest lag spread and the fewest moves, in the order of the policy, and proves
how good it is."""
EPILOG: Final = """\
policies (even counts come first under each of them):
  lag-aware         total counts, then lag spread + move cost, then fewest moves
  kip-169           counts per topic, then lag spread
  fair-yet-sticky   total counts, then fewest moves, then lag spread
  sticky-yet-fair   no voluntary move at all, then counts, then lag spread

examples:
  equilag plan snapshot.json --max-moves 10 --out plan.json
  equilag plan --bootstrap-server kafka:9092 --group orders --check"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_settings(parser, "plan")
    options.add_run(parser, time_limit=2.0)
    options.add_plan_outputs(parser)
    parser.add_argument(
        "--check",
        action="store_true",
        help="print only the verdict, and exit with 10 if there is something to do, else with 0",
    )


def run(args: argparse.Namespace) -> int:
    policy = policy_of(args, "plan")
    options.check_output(args)
    target = plan_file(args)
    group = read_group(args, policy)

    from equilag.planner.solve import solve

    with stopping() as stop, ProgressLine() as progress, options.named(policy):
        plan = solve(group, policy, **options.settings_of(args, progress, stop))

    from equilag.report.facts.plans.plan import plan_facts

    facts = plan_facts(plan, verbose=args.verbose)
    deliver(facts, args, target)
    if plan.interrupted:
        return INTERRUPTED
    return ACT if args.check and facts.verdict.worth_it else FINE
