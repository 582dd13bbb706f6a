"""What commands write to: standard output and standard error, whatever these are connected to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from equilag.domain.errors import InputError
from equilag.report.wording.words import printable


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
    """Write to standard output, if there is one."""
    if sys.stdout is None:
        return
    with written():
        if isinstance(content, bytes):
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content)


def remark(text: str) -> None:
    """Write a line to standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"equilag: {printable(text)}\n")
