"""A line of progress on standard error, gone at the end; rich is loaded once there is one."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, suppress
from threading import Event, Thread
from typing import IO, TYPE_CHECKING, Final

from equilag.domain.figures import plural, short_number, short_percent
from equilag.report.terminal import is_terminal, wants_control_codes

if TYPE_CHECKING:
    from rich.progress import Progress as Display

    from equilag.planner.solving.stage import Progress


PERIOD_S: Final = 0.1
"""Between two updates, and before the first one: what is done sooner shows no progress."""
BAR_WIDTH: Final = 10
"""Columns, of the 80 that a line has; the words need the others."""


class ProgressLine(AbstractContextManager["ProgressLine"]):
    """Progress of one task. Silent unless standard error is a terminal that takes control codes.

    Called with each `Progress` of the planner: then the line is drawn by a thread of its own, so
    that the time goes on during a long stage. Or told by `show` what to draw.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        stream = sys.stderr if stream is None else stream
        self._stream = stream if is_terminal(stream) and wants_control_codes() else None
        self._display: Display | None = None
        self._last = time.monotonic()
        self._latest: tuple[Progress, float] | None = None
        """With the time at which it came."""
        self._done = Event()
        self._ticker: Thread | None = None

    def __call__(self, progress: Progress) -> None:
        self._latest = progress, time.monotonic()
        if self._stream is not None and self._ticker is None:
            self._ticker = Thread(target=self._tick, name="progress", daemon=True)
            self._ticker.start()

    def show(self, words: str, done: float, total: float) -> None:
        """Show the words beside a bar, unless the last update is younger than PERIOD_S."""
        now = time.monotonic()
        if self._stream is not None and now - self._last >= PERIOD_S:
            self._last = now
            self._draw(self._stream, words, done, total)

    def _tick(self) -> None:
        assert self._stream is not None
        while not self._done.wait(PERIOD_S):
            assert self._latest is not None
            progress, since = self._latest
            elapsed = progress.elapsed + time.monotonic() - since
            self._draw(self._stream, describe(progress, elapsed), elapsed, progress.limit)

    def _draw(self, stream: IO[str], words: str, done: float, total: float) -> None:
        # The bar of a task of unknown length only pulses.
        length = total if 0 < total < float("inf") else None
        with suppress(OSError):  # a terminal that is gone is no reason to lose the plan
            if self._display is None:
                self._display = _display(stream)
                self._display.add_task(words, completed=round(done), total=length)
                self._display.start()
                # Rich hides the cursor, and a process that is killed could not show it again.
                self._display.console.show_cursor(True)
            task = self._display.task_ids[0]
            self._display.update(task, description=words, completed=done, total=length)
            self._display.refresh()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._ticker is not None:
            self._ticker.join()
        if self._display is not None:
            with suppress(OSError):
                self._display.stop()


def _display(stream: IO[str]) -> Display:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    column = Column(no_wrap=True, overflow="ellipsis")
    words = TextColumn("{task.description}", markup=False, table_column=column)
    bar, console = BarColumn(BAR_WIDTH), Console(file=stream)
    return Progress(bar, words, console=console, auto_refresh=False, transient=True)


WORDS: Final = {
    "heuristic": "a first plan",
    "quotas": "even counts",
    "search for keeping up": "who falls behind",
    "least shortage": "who falls behind",
    "counts": "even counts",
    "racks": "fewest reads across racks",
    "fewest moves": "the fewest moves",
    "bounds": "how even it can be at best",
    "bound for a number of moves": "how even it can be at best",
    "greedy descent": "the best move each time",
    "descent in bulk": "the best moves in bulk",
    "descent without falling behind": "even, nobody falls behind",
    "exhaustive search": "all plans",
    "deep exhaustive search": "all plans",
    "exhaustive front": "all plans with few moves",
    "few exchanges": "the best few swaps",
    "fewest moves within the tolerance": "as even with fewer moves",
    "cp-sat": "all plans, with CP-SAT",
    "front by cp-sat": "all plans, with CP-SAT",
    "levels": "loads to one level",
    "levels within the limit": "loads to one level",
    "paired exchange": "swaps between two members",
    "exact transfers": "swaps of an exact size",
    "window search": "swaps among a few members",
    "prices": "a linear program of loads",
    "patterns": "a linear program of sets",
    "towards the owners": "as even with fewer moves",
    "front": "plans between the extremes",
    "proof": "a proof of the best",
}
"""By the name of the stage; 28 characters fit 80 columns beside the figures."""


def describe(progress: Progress, elapsed: float) -> str:
    """One line about where the planning is, `elapsed` seconds after its start."""
    parts = [f"{elapsed:.1f} of {progress.limit:g} s"]
    if progress.spread is not None and progress.moves is not None:
        parts.append(f"spread {short_number(progress.spread)}{_gap(progress)}")
        parts.append(plural(progress.moves, "move"))
    return f"{', '.join(parts)}: {WORDS.get(progress.stage, progress.stage)}"


def _gap(progress: Progress) -> str:
    """What is proved about the spread."""
    if progress.bound is None or progress.spread is None:
        return ""
    if progress.spread <= progress.bound:
        return " (proved)"
    if not progress.mean:
        return ""
    gap = 100 * (progress.spread - progress.bound) / progress.mean
    return f" (gap {short_percent(gap)})"
