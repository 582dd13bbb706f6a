"""``equilag fleet show``: what a finished run found, on the screen or as JSON."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from equilag.cli import options
from equilag.cli.files import to_json
from equilag.cli.render_fleet import TOP
from equilag.cli.screen import emit, style_of

NAME: Final = "show"
HELP: Final = "what a finished run found: the worst groups first"
DESCRIPTION: Final = """\
Shows a finished run: how many groups are planned and proved, the groups that
are the most uneven today with what a plan saves and how many moves it costs,
how far every assignor is from the proved bound over the whole fleet, what is
wrong with the data, and which groups are not planned and why."""
EPILOG: Final = """\
Needs neither Spark nor Java.

example:
  equilag fleet show run-1 --top 50"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the directory of a finished run")
    parser.add_argument(
        "--top",
        metavar="N",
        type=options.whole(),
        default=TOP,
        help=f"how many of the worst groups; {TOP} unless told",
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of the screen")


def run(args: argparse.Namespace) -> int:
    from equilag.cli.render_fleet import render_fleet, report_json
    from equilag.pipeline.fleet_report import read_report
    from equilag.pipeline.run_dir import reading_run

    with reading_run(args.directory):
        report = read_report(args.directory)
        if args.json:
            text = to_json(report_json(report, args.top))
        else:
            text = render_fleet(report, style_of(sys.stdout), args.top)
    emit(text)
    return 0
