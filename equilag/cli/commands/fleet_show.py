"""``equilag fleet show`` and ``equilag fleet report``: a finished run on the screen, as a page."""

from __future__ import annotations

import argparse
from types import SimpleNamespace
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import whole
from equilag.cli.arguments.files import OutputFile
from equilag.cli.arguments.options import Option
from equilag.cli.deliver import deliver, deliver_page
from equilag.domain.errors import InputError

TOP: Final = 20
"""Worst groups that are shown unless another number is asked for: what a screen holds."""
DIRECTORY: Final = "the directory of a finished run"
EPILOG: Final = """\
Needs neither Spark nor Java.

example:
  equilag fleet {example}"""


def _configure_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help=DIRECTORY)
    options.add(parser, Option(
        "--top", "N", f"number of worst groups to show (default: {TOP})", whole(), TOP
    ))  # fmt: skip
    options.add_output(parser)


def _show(args: argparse.Namespace) -> int:
    options.check_output(args)

    from equilag.pipeline.results.fleet_report import read_report
    from equilag.pipeline.results.run_dir import reading_run
    from equilag.report.reports.fleet import FleetReport

    with reading_run(args.directory):
        run = read_report(args.directory)
    deliver(FleetReport(run, args.top), args)
    return 0


def _configure_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help=DIRECTORY)
    options.add(parser, Option("--out", "F.html", "write the page to this file"))
    options.add_json(parser, "print the facts of the page, with all groups, as JSON")


def _report(args: argparse.Namespace) -> int:
    if args.out is None and not args.json:
        raise InputError("--out is required, or --json")
    target = None if args.out is None else OutputFile(args.out, "--out")

    from equilag.pipeline.results.fleet_report import read_report
    from equilag.pipeline.results.run_dir import reading_run
    from equilag.report.reports.fleet import FleetReport

    with reading_run(args.directory):
        report = FleetReport(read_report(args.directory), TOP, every_group=True)
    deliver_page(report, args, target)
    return 0


SHOW: Final = SimpleNamespace(
    NAME="show",
    HELP="what a finished run found: the worst groups first",
    DESCRIPTION="""\
Shows a finished run: how many groups are planned and proved optimal, the groups
that are the most uneven today with what a plan saves and how many moves it
costs, how far every assignor is from the proved bound over the whole fleet, the
faults of the data, and which groups are not planned and why.""",
    EPILOG=EPILOG.format(example="show run-1 --top 50"),
    configure=_configure_show,
    run=_show,
)
REPORT: Final = SimpleNamespace(
    NAME="report",
    HELP="a page about a finished run",
    DESCRIPTION="""\
Writes one HTML file that needs no network: the verdict on the fleet, the worst
groups, who does not keep up, what each assignor would do, groups that are not
planned, and a table of all groups, each with its figures and the commands that
plan it.""",
    EPILOG=EPILOG.format(example="report run-1 --out run-1.html"),
    configure=_configure_report,
    run=_report,
)
"""The two commands, as modules of others have them."""
