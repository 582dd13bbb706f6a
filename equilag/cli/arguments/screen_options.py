"""``--width`` and ``--color``: how a report looks, on every command that prints one."""

from __future__ import annotations

import argparse

from equilag.cli.arguments.converters import one_of
from equilag.report.terminal import COLORS, DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH


def add_screen(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the options; `deliver.show` reads them."""
    parser.add_argument(
        "--width",
        metavar="N",
        type=columns,
        help=f"columns of the report, {MIN_WIDTH} or more (default: the terminal's, else"
        f" {DEFAULT_WIDTH})",
    )
    parser.add_argument(
        "--color",
        metavar="WHEN",
        type=one_of(COLORS),
        default=COLORS[0],
        help=f"{', '.join(COLORS)}; auto: on a terminal, unless NO_COLOR or FORCE_COLOR is set"
        f" (default: {COLORS[0]})",
    )


def columns(text: str) -> int:
    """A number of columns that a report fits."""
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    if not MIN_WIDTH <= value <= MAX_WIDTH:
        problem = f"{text!r} is not a whole number from {MIN_WIDTH} to {MAX_WIDTH}"
        raise argparse.ArgumentTypeError(problem)
    return value
