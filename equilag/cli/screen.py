"""What commands hand back: text on standard output and standard error, and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from equilag.adapters.files import OutputFile
from equilag.domain.errors import InputError
from equilag.domain.figures import printable
from equilag.report.outputs import JSON, TEXT, json_output, write_report
from equilag.report.report_blocks import Headline
from equilag.report.terminal import Screen

if TYPE_CHECKING:
    from equilag.report.report_blocks import Report

FINE: Final = 0
ACT: Final = 10
"""From `plan --check`: there is something to do."""
BAD_INPUT: Final = 2
"""Exit statuses that the contract names."""
DEFECT: Final = 70
"""Something that equilag itself says cannot be (EX_SOFTWARE of sysexits)."""
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""What a shell reports for a program that SIGPIPE ended."""


@contextmanager
def written() -> Iterator[None]:
    """Raise InputError for a failed write to standard output; a closed pipe stays what it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source="<stdout>") from error


def emit(content: str | bytes) -> None:
    """Write to standard output, if there is one, at once."""
    if sys.stdout is None:
        return
    with written():
        if isinstance(content, bytes):
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content)
        sys.stdout.flush()


def remark(text: str) -> None:
    """Write a line to standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"equilag: {printable(text)}\n")


def report_for(report: Report, args: argparse.Namespace) -> str | bytes:
    """The report as `options.OUTPUT` asks for it, or as text for the screen of
    `options.SCREEN`."""
    return write_report(
        getattr(args, "output", TEXT), report, Screen.of(sys.stdout, args.width, args.color)
    )


def deliver(report: Report, args: argparse.Namespace, target: OutputFile | None = None) -> None:
    """Write the report's JSON to a file, then print the report as ``--output``, ``--width`` and
    ``--color`` ask for it: the file is complete even if nobody reads the report to its end."""
    is_json = getattr(args, "output", TEXT) == JSON
    text = json_output(report) if target or is_json else ""
    # The text of the file serves both: a large plan takes long to write. An output that fails
    # leaves no file.
    content = text if is_json else report_for(report, args)
    if target is not None:
        target.write(text)
    emit(content)


def page_required(args: argparse.Namespace) -> None:
    """Raises InputError where neither the page's file nor ``--json`` is asked for."""
    if args.out is None and not args.json:
        args.parser.error("--out is required, or --json")


def deliver_page(report: Report, args: argparse.Namespace, target: OutputFile | None) -> None:
    """Write the page's file, then print what ``--json`` asks for, else what to do and the path. A
    page names its time in whole minutes; SOURCE_DATE_EPOCH stands in for it, as for other files
    that are to be the same each time."""
    if target is not None:
        from equilag.report.page.write_page import page_of

        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
        target.write(page_of(report, made_at=f"{now:%Y-%m-%d %H:%M} UTC"))
    if args.json:
        emit(json_output(report))
    elif target is not None:
        what = next(one.words for one in report.parts() if isinstance(one, Headline))
        emit(f"{what}\n\npage  {printable(target.path)}\n")
