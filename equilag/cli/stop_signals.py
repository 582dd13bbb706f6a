"""Handlers of signals for the time of a block, and the ends that SIGINT and SIGTERM ask for."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, current_thread, main_thread
from types import FrameType

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def handled(handler: Handler, *signals: signal.Signals) -> Iterator[None]:
    """Let `handler` handle these signals; the handlers before are restored at the end."""
    before = {which: signal.signal(which, handler) for which in signals}
    try:
        yield
    finally:
        for which, other in before.items():
            signal.signal(which, other)


@contextmanager
def stopping() -> Iterator[Event]:
    """A stop signal for a run, which then ends with the best plan so far: set by the first SIGINT;
    the second raises KeyboardInterrupt.

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

    with handled(interrupt, signal.SIGINT):
        yield stop


class Stopped(BaseException):
    """Someone asked for the end. Not an Exception, so that no handler takes it for a failure."""


class Stop:
    """SIGINT and SIGTERM end the `with` block at once, except inside `held`."""

    def __init__(self) -> None:
        self._requested = False
        self._raised = False
        self._held = False
        self._handlers = ExitStack()

    def __enter__(self) -> Stop:
        self._handlers.enter_context(handled(self._on_signal, signal.SIGINT, signal.SIGTERM))
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self._handlers.close()
        return isinstance(error, Stopped)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Delay the end until the block is done, so that nothing is left half written."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self._end_if_requested()

    def _on_signal(self, *_: object) -> None:
        self._requested = True
        if not self._held:
            self._end_if_requested()

    def _end_if_requested(self) -> None:
        # Only once: a second signal must not interrupt the clean-up.
        if self._requested and not self._raised:
            self._raised = True
            raise Stopped
