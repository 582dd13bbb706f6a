"""``equilag frontier``: all trade-offs between moves and lag spread."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from equilag.cli import options
from equilag.cli.files import Target, to_json
from equilag.cli.screen import ProgressLine, emit, style_of
from equilag.cli.source import add_source, read_group

NAME: Final = "frontier"
HELP: Final = "all trade-offs between moves and lag spread"
DESCRIPTION: Final = """\
Lists how even the lag can be made with how many moves: for each number of
moves the smallest spread that was found, and the bound below which none is."""
EPILOG: Final = """\
example:
  equilag frontier snapshot.json --plot frontier.svg"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    options.add_time_limit(parser, 5.0)
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument("--plot", metavar="F.svg", help="draw the trade-offs into this file")


def run(args: argparse.Namespace) -> int:
    target = Target(args.plot, "--plot", (args.snapshot,)) if args.plot is not None else None
    group = read_group(args)

    from equilag.planner.frontier import frontier

    with ProgressLine() as progress:
        points = frontier(group, time_limit=args.time_limit, progress=progress)
    if target is not None:
        from equilag.cli.render_svg import frontier_svg

        target.write(frontier_svg(group.name, points))
    if args.json:
        emit(to_json({"points": [point.to_dict() for point in points]}))
        return 0

    from equilag.cli.render_frontier import render_frontier

    emit(render_frontier(group, points, style_of(sys.stdout)))
    return 0
