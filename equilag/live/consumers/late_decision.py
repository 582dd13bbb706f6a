"""A decision that may come too late for the rebalance that needs it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

from equilag.live.rebalance.decision import Decision

log: Final = logging.getLogger("equilag.consumers")


class LateDecision:
    """Decides on a thread of its own; the result can still be used later."""

    def __init__(self, make: Callable[[], Decision], name: str) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._decision: Decision | None = None
        self._then: Callable[[Decision], None] | None = None
        # Not from a pool: the interpreter waits at exit for the threads of a pool.
        threading.Thread(target=self._run, name=f"equilag-plan-{name}", daemon=True).start()

    def wait(self, seconds: float) -> Decision | None:
        """Wait up to `seconds`. Return the decision, None if it is not there yet."""
        self._done.wait(seconds)
        return self._decision

    def then(self, use: Callable[[Decision], None]) -> None:
        """Call `use` with the decision: now if it is there, else on the thread that makes it."""
        with self._lock:
            decision = self._decision
            if decision is None:
                self._then = use
        if decision is not None:
            use(decision)

    def _run(self) -> None:
        try:
            decision = self._make()
            with self._lock:
                self._decision, use = decision, self._then
            self._done.set()
            if use is not None:
                use(decision)
        except Exception as error:  # noqa: BLE001  nobody joins this thread
            log.warning("planning failed: %s", describe_error(error))
            self._done.set()


def describe_error(error: BaseException) -> str:
    """Return an error as its type and message."""
    return f"{type(error).__name__}: {error}"
