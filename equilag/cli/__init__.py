"""The command line: one module per command, rendering apart from doing.

`main` is cheap to import and to build; a command loads what it needs when it runs.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from equilag.cli.screen import BAD_INPUT, BROKEN_PIPE, DEFECT, FINE, INTERRUPTED
from equilag.domain.errors import ContradictedBound, EquilagError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Takes `sys.argv` where no arguments are given."""
    for stream in (sys.stdout, sys.stderr):
        # Names come from other people's systems; none of them may break a report.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from equilag.cli.arguments.configuration import naming_options
        from equilag.cli.parser import build_parser

        try:
            words = sys.argv[1:] if argv is None else argv
            args = build_parser(words).parse_args(words)
            with naming_options(args.parser):
                status: int = args.run(args)
        except SystemExit as end:  # argparse, after --help or a usage error
            status = end.code if isinstance(end.code, int) else FINE
        _flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return BROKEN_PIPE
    except ContradictedBound as error:
        return _fail(f"internal error; please report it: {error}", DEFECT)
    except EquilagError as error:
        return _fail(str(error), BAD_INPUT)
    return status


def _flush() -> None:
    """Write out what is buffered, while somebody can still hear of a failure."""
    from equilag.cli.screen import written

    if sys.stdout is not None:
        with written():
            sys.stdout.flush()


def _drop_stdout() -> None:
    """Let the flush at the end of the process go nowhere instead of to a closed pipe."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _fail(problem: str, status: int) -> int:
    from equilag.cli.screen import remark

    remark(problem)
    # What could not be written to stdout is lost already; it must not fail again at the exit.
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop_stdout()
    return status
