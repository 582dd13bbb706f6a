"""A line of progress on standard error, gone at the end; rich is loaded once there is one."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import IO, TYPE_CHECKING, Final

from equilag.report.terminal import is_terminal, wants_control_codes
from equilag.report.words import number

if TYPE_CHECKING:
    from rich.progress import Progress as Display

    from equilag.planner.progress import Progress

PERIOD_S: Final = 0.1
"""Between two updates, and before the first one: what is done sooner shows no progress."""
BAR_WIDTH: Final = 20
"""Columns, of the 80 that a line has; the words need the others."""


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """Progress of one task. Silent unless standard error is a terminal that takes control codes.

    Called with each `Progress` of the planner.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        stream = sys.stderr if stream is None else stream
        self._stream = stream if is_terminal(stream) and wants_control_codes() else None
        self._display: Display | None = None
        self._last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        self.show(describe(progress), progress.elapsed, progress.limit)

    def show(self, words: str, done: float, total: float) -> None:
        """Show the words beside a bar, unless the last update is younger than PERIOD_S."""
        now = time.monotonic()
        if self._stream is None or now - self._last < PERIOD_S:
            return
        self._last = now
        # The bar of a task of unknown length only pulses.
        length = total if 0 < total < float("inf") else None
        with suppress(OSError):  # a terminal that is gone is no reason to lose the plan
            if self._display is None:
                self._display = _display(self._stream)
                self._display.add_task(words, completed=round(done), total=length)
                self._display.start()
                # Rich hides the cursor, and a process that is killed could not show it again.
                self._display.console.show_cursor(True)
            task = self._display.task_ids[0]
            self._display.update(task, description=words, completed=done, total=length)
            self._display.refresh()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._display is not None:
            with suppress(OSError):
                self._display.stop()


def _display(stream: IO[str]) -> Display:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    words = TextColumn(
        "{task.description}",
        markup=False,
        table_column=Column(no_wrap=True, overflow="ellipsis"),
    )
    return Progress(
        BarColumn(BAR_WIDTH),
        words,
        console=Console(file=stream),
        auto_refresh=False,
        transient=True,
    )


def describe(progress: Progress) -> str:
    """One line about where the planning is."""
    parts = [f"{progress.elapsed:.1f} of {progress.limit:g} s", progress.stage]
    if progress.spread is not None:
        parts.append(f"lag spread {number(progress.spread)}")
    if progress.bound is not None:
        parts.append(f"at least {number(progress.bound)}")
    return ", ".join(parts)
