"""Ctrl-C during a run: the first ends it with the best plan so far, the second ends the process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from types import FrameType


@contextmanager
def stopping() -> Iterator[Event]:
    """A stop signal for a run, set by the first SIGINT; the second raises KeyboardInterrupt.

    A process that ignores SIGINT, as one in the background of a script does, goes on ignoring it.
    """
    stop = Event()
    # Only the main thread may set handlers; elsewhere the caller's stay.
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        yield stop
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
