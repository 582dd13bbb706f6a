"""``equilag report``: a page about a group, to look at and to send."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from equilag.cli import FINE, INTERRUPTED, options
from equilag.cli.files import OutputFile, naming_plan, one_stdin, read_object
from equilag.cli.interruption import stopping
from equilag.cli.progress_line import ProgressLine
from equilag.cli.real_options import add_real, add_weight
from equilag.cli.screen import emit
from equilag.cli.source import add_source, in_place_of_file, read_group
from equilag.policy import Policy
from equilag.report.json_text import json_output

if TYPE_CHECKING:
    pass

NAME: Final = "report"
HELP: Final = "a page about a group, in one HTML file to look at and to send"
DESCRIPTION: Final = """\
Writes one HTML file that needs no network: the verdict, members before and
after, moves, trade-offs between moves and lag spread, lag over time, sizes, a
comparison of assignors, and the proof."""
EPILOG: Final = """\
Without PLAN it makes one, with the options of equilag plan. Lag over time needs
the members' capacities, sizes need rates as well.

example:
  equilag report snapshot.json --out report.html"""
TIME_LIMIT: Final = 5.0
"""Seconds: of these the plan gets the 2 s of `equilag plan`."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    parser.add_argument(
        "plan",
        metavar="PLAN",
        nargs="?",
        help="the plan, as plan --out writes it; - reads standard input (default: make one)",
    )
    parser.add_argument("--out", metavar="F.html", help="write the page to this file")
    options.add_planning(parser, time_limit=TIME_LIMIT)
    add_weight(parser)
    add_real(parser)
    parser.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="output",
        default="text",
        help="print the report's JSON (equilag/report/1)",
    )


def run(args: argparse.Namespace) -> int:
    if in_place_of_file(args) and args.plan is None:
        args.snapshot, args.plan = None, args.snapshot  # the one file beside another source
    one_stdin(args.snapshot, args.plan, args.from_describe)
    policy = options.policy_of(args)
    if args.plan is not None and policy != Policy():
        args.refuse("with PLAN the options that make a plan have no effect")
    if args.out is None and args.output != "json":
        args.refuse("--out is required, or --json")
    target = None
    if args.out is not None:
        target = OutputFile(args.out, "--out", (args.snapshot, args.plan))
    group = read_group(args, policy if args.plan is None else None)
    document = None if args.plan is None else read_object(args.plan)

    from equilag.certificate.checked_plan import checked_plan
    from equilag.report.make_group_report import ReportRun, make_group_report

    with (
        stopping() as stop,
        ProgressLine() as progress,
        options.named(policy),
        naming_plan(args.plan),
    ):
        plan = None if document is None else checked_plan(group, document)
        run = ReportRun(args.time_limit, args.effort, args.deterministic, args.seed, progress, stop)
        wanted = policy if plan is None else plan.policy or Policy()
        facts = make_group_report(group, wanted, _source(args), run, plan=plan)
        stopped = run.is_stopped
    if target is not None:
        from equilag.report.page.group_page import group_page

        target.write(group_page(facts))
    if args.output == "json":
        emit(json_output(facts))
    return INTERRUPTED if stopped else FINE


def _source(args: argparse.Namespace) -> str:
    """What the page's commands call the group."""
    if args.snapshot in (None, options.STDIN):
        return args.save_snapshot or "SNAPSHOT"
    return PurePath(args.snapshot).name
