"""``equilag explain``: why a group is uneven, what bounds its plan, what its moves are for."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.answering import answering, status_of
from equilag.cli.arguments import options
from equilag.cli.arguments.given_plan import add_plan, place_files, read_inputs, refuse_with_plan
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source
from equilag.cli.deliver import show

NAME: Final = "explain"
HELP: Final = "why a group is uneven, what bounds its plan, what moves are for"
DESCRIPTION: Final = """\
Says why the group is uneven now, what keeps the members from being more evenly
loaded by a plan (a partition, what members subscribe to, even counts, limits),
what each looser setting would bring, and what each move of the plan is for."""
EPILOG: Final = """\
Without PLAN it makes one, with the options of equilag plan. PLAN is verified
first and has its own settings. --time-limit is for the plan; looser settings
get 1.5 times as much in all, on top.

example:
  equilag explain snapshot.json plan.json"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_plan(parser)
    add_settings(parser, "plan")
    options.add_run(parser, time_limit=2.0)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    place_files(args)
    policy = policy_of(args, "plan")
    refuse_with_plan(args, policy)
    options.check_output(args)
    group, plan = read_inputs(args, policy)

    from equilag.planner.explain import explain
    from equilag.report.reports.explanation import ExplanationReport

    with answering(args, policy) as settings:
        if plan is None:
            found = explain(group, policy=policy, **settings)
        else:
            found = explain(group, plan, **settings)
    show(ExplanationReport(found), args)
    return status_of(interrupted=found.interrupted)
