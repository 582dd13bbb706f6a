"""An end on request: SIGINT and SIGTERM end a command that goes on until then."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Stopped(BaseException):
    """Someone asked for the end. Not an Exception, so that no handler takes it for a failure."""


class Stop:
    """SIGINT and SIGTERM end the `with` block at once, except inside `held`."""

    def __init__(self) -> None:
        self._requested = False
        self._raised = False
        self._held = False

    def __enter__(self) -> Stop:
        self._before = {
            which: signal.signal(which, self._on_signal)
            for which in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        for which, handler in self._before.items():
            signal.signal(which, handler)
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
