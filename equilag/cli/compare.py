"""``equilag compare``: every assignor, the assignment in force and the optimum side by side."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from equilag.cli import options
from equilag.cli.files import to_json
from equilag.cli.screen import ProgressLine, emit, style_of
from equilag.cli.source import add_source, read_group

NAME: Final = "compare"
HELP: Final = "every assignor, what is in force and the optimum side by side"
DESCRIPTION: Final = """\
Sets every assignor, the assignment in force and equilag's own plan side by
side: how even their counts and their lag are, how many partitions they move,
and how far they are from the best that is proved to be possible."""
EPILOG: Final = """\
example:
  equilag compare snapshot.json --time-limit 5"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    options.add_time_limit(parser, 2.0)
    parser.add_argument(
        "--assignor",
        action="append",
        default=[],
        metavar="MODULE:ATTRIBUTE",
        help="one of your own beside them; may be given more than once",
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    from equilag.heuristics.registry import get_assignor
    from equilag.planner.compare import compare

    with options.named():
        for name in args.assignor:
            get_assignor(name)  # a wrong name is worth saying before a large file is read
        group = read_group(args)
        with ProgressLine() as progress:
            comparison = compare(
                group, assignors=args.assignor, time_limit=args.time_limit, progress=progress
            )
    document = comparison.to_dict()
    if args.json:
        emit(to_json(document))
        return 0

    from equilag.cli.render_compare import render_compare

    emit(render_compare(group, document, style_of(sys.stdout)))
    return 0
