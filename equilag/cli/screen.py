"""What commands hand back: text on standard output and standard error, and an exit status."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from equilag.domain.errors import InputError
from equilag.domain.figures import printable

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
