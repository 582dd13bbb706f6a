"""What a command writes to: standard output with its width and colours, and a line of progress."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import TracebackType
from typing import IO, TYPE_CHECKING, Final

from equilag.cli.text import Style, number, printable, shorten
from equilag.errors import InputError

if TYPE_CHECKING:
    from equilag.planner.progress import Progress

WIDEST: Final = 100
NARROWEST: Final = 50
_PERIOD: Final = 0.1


def style_of(stream: IO[str] | None) -> Style:
    """How to write to a stream: colours only on a terminal, and only signs that it can show."""
    columns = shutil.get_terminal_size((WIDEST, 24)).columns
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        "█▏…→≥–".encode(encoding)
        plain = False
    except (UnicodeEncodeError, LookupError):
        plain = True
    colour = (
        is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    return Style(max(NARROWEST, min(WIDEST, columns)), colour, plain)


def is_terminal(stream: IO[str] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


@contextmanager
def written() -> Iterator[None]:
    """Report a failing write to standard output as what it is; a closed pipe is another matter."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source="<stdout>") from error


def emit(text: str) -> None:
    """Write to standard output, if there is one."""
    if sys.stdout is not None:
        with written():
            sys.stdout.write(text)


def remark(text: str) -> None:
    """A line on standard error, for whoever may be listening."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"equilag: {printable(text)}\n")


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """One line on standard error that is written over, and gone at the end.

    Silent unless standard error is a terminal. Called with each `Progress` of the planner.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        stream = sys.stderr if stream is None else stream
        self._stream = stream if is_terminal(stream) else None
        self._width = shutil.get_terminal_size((80, 24)).columns - 1
        self._shown = 0
        self._last = -_PERIOD

    def __call__(self, progress: Progress) -> None:
        self.say(describe, progress)

    def say(self, describe: Callable[..., str], *what: object) -> None:
        """Show what `describe` makes of `what`, unless the line is young enough."""
        now = time.monotonic()
        if self._stream is not None and now - self._last >= _PERIOD:
            self._last = now
            self._put(shorten(describe(*what), self._width))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._put("")

    def _put(self, line: str) -> None:
        if self._stream is None:
            return
        blank = " " * (self._shown - len(line))
        with suppress(OSError):  # a terminal that is gone is no reason to lose the plan
            self._stream.write(f"\r{line}{blank}" if line else f"\r{blank}\r")
            self._stream.flush()
        self._shown = len(line)


def describe(progress: Progress) -> str:
    """One line about where the planning is."""
    parts = [f"{progress.elapsed:.1f} of {progress.limit:g} s", progress.stage]
    if progress.spread is not None:
        parts.append(f"lag spread {number(progress.spread)}")
    if progress.bound is not None:
        parts.append(f"at least {number(progress.bound)}")
    return ", ".join(parts)
