"""``equilag plan``: the best plan within a time limit."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.answering import answering, status_of
from equilag.cli.arguments import options
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, read_group
from equilag.cli.arguments.verdict_options import add_verdict, limits_of
from equilag.cli.deliver import deliver, plan_file
from equilag.cli.screen import ACT

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
    options.add(parser, Option("--check", "", "print only the verdict, and exit with 10 if there is"
                               " something to do, else with 0"))  # fmt: skip
    add_verdict(parser)


def run(args: argparse.Namespace) -> int:
    policy = policy_of(args, "plan")
    target = plan_file(args)
    group, limits = read_group(args, policy), limits_of(args)

    from equilag.planner.solve import solve
    from equilag.report.reports.plan import PlanReport, VerdictReport

    with answering(args, policy) as settings:
        plan = solve(group, policy, **settings)
    only_verdict = args.check and args.output == "text"
    kind = VerdictReport if only_verdict else PlanReport
    report = kind(plan, verbose=args.verbose, limits=limits)
    deliver(report, args, target)
    to_do = args.check and report.verdict.worth_it and not plan.interrupted
    return ACT if to_do else status_of(interrupted=plan.interrupted)
