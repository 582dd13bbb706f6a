"""``equilag fleet report``: a page about a finished run, to look at and to send."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments.files import OutputFile
from equilag.cli.arguments.options import add_json
from equilag.cli.commands.fleet_show import TOP
from equilag.cli.screen import FINE, emit
from equilag.domain.errors import InputError
from equilag.report.wording.words import printable

NAME: Final = "report"
HELP: Final = "a page about a finished run"
DESCRIPTION: Final = """\
Writes one HTML file that needs no network: the verdict on the fleet, the worst
groups, who does not keep up, what each assignor would do, groups that are not
planned, and a table of all groups, each with its figures and the commands that
plan it."""
EPILOG: Final = """\
Needs neither Spark nor Java.

example:
  equilag fleet report run-1 --out run-1.html"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the directory of a finished run")
    parser.add_argument("--out", metavar="F.html", help="write the page to this file")
    add_json(parser, "print the facts of the page, with all groups, as JSON")


def run(args: argparse.Namespace) -> int:
    if args.out is None and not args.json:
        raise InputError("--out is required, or --json")
    target = None if args.out is None else OutputFile(args.out, "--out")

    from equilag.pipeline.results.fleet_report import read_report
    from equilag.pipeline.results.run_dir import reading_run
    from equilag.report.facts.fleets.fleet import fleet_facts

    with reading_run(args.directory):
        facts = fleet_facts(read_report(args.directory), TOP, every_group=True)
    if target is not None:
        from equilag.report.page.fleet_page import fleet_page

        target.write(fleet_page(facts))
    if args.json:
        from equilag.report.json_text import json_output

        emit(json_output(facts))
    else:
        emit(f"{facts.verdict.headline}\n\npage  {printable(args.out)}\n")
    return FINE
