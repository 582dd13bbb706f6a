"""What commands do with their results: into a file, onto the screen."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from equilag.adapters.files import OutputFile
from equilag.cli.screen import emit
from equilag.domain.figures import printable
from equilag.report.outputs import JSON, json_output, write_report
from equilag.report.report_blocks import Headline
from equilag.report.terminal import Screen

if TYPE_CHECKING:
    from equilag.report.report_blocks import Report


def written(report: Report, args: argparse.Namespace) -> str | bytes:
    """The report as the options of `options.add_output` ask for it."""
    return write_report(args.output, report, Screen.of(sys.stdout, args.width, args.color))


def deliver(report: Report, args: argparse.Namespace, target: OutputFile | None = None) -> None:
    """Write the report's JSON to a file, then print the report as ``--output``, ``--width`` and
    ``--color`` ask for it: the file is complete even if nobody reads the report to its end."""
    is_json = args.output == JSON
    text = json_output(report) if target or is_json else ""
    # The text of the file serves both: a large plan takes long to write. An output that fails
    # leaves no file.
    content = text if is_json else written(report, args)
    if target is not None:
        target.write(text)
    emit(content)


def deliver_page(
    report: Report, args: argparse.Namespace, target: OutputFile | None, made_at: str | None = None
) -> None:
    """Write the page's file, then print what ``--json`` asks for, else what to do and the path."""
    if target is not None:
        from equilag.report.page.write_page import page_of

        target.write(page_of(report, made_at=made_at))
    if args.json:
        emit(json_output(report))
    elif target is not None:
        what = next(one.words for one in report.parts() if isinstance(one, Headline))
        emit(f"{what}\n\npage  {printable(target.path)}\n")
