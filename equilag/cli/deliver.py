"""What commands do with their results: into a file, onto the screen."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from equilag.cli.arguments.files import OutputFile
from equilag.cli.arguments.options import check_output, named
from equilag.cli.screen import emit
from equilag.report.json_text import json_output, to_json
from equilag.report.outputs import JSON, write_report
from equilag.report.terminal import Screen

if TYPE_CHECKING:
    from equilag.report.report_blocks import Chart, Report


def show(report: Report, args: argparse.Namespace) -> None:
    """Print the report as ``--output``, ``--width`` and ``--color`` ask for it."""
    emit(written(report, args))


def written(report: Report, args: argparse.Namespace) -> str | bytes:
    """The report as the options of `options.add_output` ask for it."""
    with named():
        return write_report(args.output, report, Screen.of(sys.stdout, args.width, args.color))


def plan_file(args: argparse.Namespace) -> OutputFile | None:
    """The file that ``--out`` names. Raises InputError, also for an output that there is not."""
    check_output(args)
    return None if args.out is None else OutputFile(args.out, "--out", (args.snapshot,))


def plot_file(args: argparse.Namespace, *inputs: str | None) -> tuple[OutputFile, str] | None:
    """The file that ``--plot`` names, and its format. Raises InputError, or MissingExtra without
    matplotlib."""
    from equilag.report.plot import check_plot

    if args.plot is None:
        return None
    return OutputFile(args.plot, "--plot", inputs), check_plot(args.plot)


def draw(plot: tuple[OutputFile, str] | None, chart: Callable[[], Chart], group: str) -> None:
    """Write the chart of a group to the file of ``--plot``, if there is one."""
    if plot is not None:
        from equilag.report.plot import plot_of

        target, ending = plot
        target.write(plot_of(chart(), group, ending))


def deliver_page(
    report: Report, args: argparse.Namespace, target: OutputFile | None, made_at: str | None = None
) -> None:
    """Write the page's file, then print what ``--json`` asks for."""
    if target is not None:
        from equilag.report.page.write_page import page_of

        target.write(page_of(report, made_at=made_at))
    if args.json:
        emit(json_output(report))


def deliver(report: Report, args: argparse.Namespace, target: OutputFile | None) -> None:
    """Write the plan's file, then print the report: the file is complete even if nobody reads the
    report to its end."""
    is_json = args.output == JSON
    text = to_json(report.document(), report.size) if target or is_json else ""
    # The text of the file serves both: a large plan takes long to write. An output that fails
    # leaves no file.
    content = text if is_json else written(report, args)
    if target is not None:
        target.write(text)
    emit(content)
