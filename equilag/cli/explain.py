"""``equilag explain``: why a group is uneven, what bounds its plan, what its moves are for."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli import FINE, INTERRUPTED, options
from equilag.cli.deliver import show
from equilag.cli.files import naming_plan, one_stdin, read_object
from equilag.cli.interruption import stopping
from equilag.cli.progress_line import ProgressLine
from equilag.cli.real_options import add_real, add_weight
from equilag.cli.source import add_source, in_place_of_file, read_group
from equilag.policy import Policy

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
    parser.add_argument(
        "plan",
        metavar="PLAN",
        nargs="?",
        help="the plan, as plan --out writes it; - reads standard input (default: make one)",
    )
    options.add_planning(parser, time_limit=2.0)
    add_weight(parser)
    add_real(parser)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    if in_place_of_file(args) and args.plan is None:
        args.snapshot, args.plan = None, args.snapshot  # the one file beside a live group
    one_stdin(args.snapshot, args.plan)
    policy = options.policy_of(args)
    if args.plan is not None and policy != Policy():
        args.refuse("with PLAN the options that make a plan have no effect")
    options.check_output(args)
    group = read_group(args, policy if args.plan is None else None)
    plan = None if args.plan is None else read_object(args.plan)

    from equilag.planner.explain import explain
    from equilag.report.facts.explanation import explanation_facts

    with (
        stopping() as stop,
        ProgressLine() as progress,
        options.named(policy),
        naming_plan(args.plan),
    ):
        settings = options.settings_of(args, progress, stop)
        if plan is None:
            found = explain(group, policy=policy, **settings)
        else:
            found = explain(group, plan, **settings)
    show(explanation_facts(found), args)
    return INTERRUPTED if found.interrupted else FINE
