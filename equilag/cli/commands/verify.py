"""``equilag verify``: a plan and its certificate, checked from scratch."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.files import naming, one_stdin, read_object, read_snapshot, shown_path
from equilag.cli.deliver import deliver

NAME: Final = "verify"
HELP: Final = "check a plan and its certificate from scratch, without a solver"
DESCRIPTION: Final = """\
Recomputes every figure of a plan and proves every claim of its certificate
again, without a solver. It names the claims that only the solver can prove."""
EPILOG: Final = """\
exit status: 0 if the plan holds, 1 if it does not (each finding a line),
2 for bad input

example:
  equilag plan snapshot.json --json | equilag verify snapshot.json -"""

DOES_NOT_HOLD: Final = 1
"""Exit status that the contract names."""
PLAN_HELP: Final = "the plan: JSON (equilag/plan/1), plain, gzip or zstd; - reads standard input"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("snapshot", metavar="SNAPSHOT", help=options.SNAPSHOT_HELP)
    parser.add_argument("plan", metavar="PLAN", help=PLAN_HELP)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    one_stdin(args.snapshot, args.plan)
    options.check_output(args)
    group = read_snapshot(args.snapshot)
    document = read_object(args.plan)

    from equilag.certificate.verify import check_plan
    from equilag.report.reports.verification import CheckReport

    with naming(args.plan):
        found = check_plan(group, document)
    deliver(CheckReport(group, shown_path(args.plan), found, document.get("policy")), args)
    return 0 if found.holds else DOES_NOT_HOLD
