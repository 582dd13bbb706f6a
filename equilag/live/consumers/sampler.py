"""Measuring on a thread, so that a rebalance finds the newest sample ready."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from equilag.live.consumers.lag_source import Sizes

log: Final = logging.getLogger("equilag.consumers")

FOLLOWER_FACTOR: Final = 12
"""A follower samples this many times less often than the leader, once in a minute by default: its
samples only serve the first rebalances that it leads itself, and each member adds load to the
brokers."""
ALIVE_CHECK_S: Final = 0.5
"""How often the thread checks whether its consumer still exists."""
REQUEST_TIMEOUT_MS: Final = 10_000
"""For each request of a probe: two sampling intervals of `LiveLag`. A slower answer is out of
date."""


class Probe(Protocol):
    """A connection that measures, for one thread. Both methods may raise anything."""

    def measure(self, topics: Sizes) -> Any:
        """Return a sample of these topics."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(slots=True)
class MeasureProbe:
    """A user's function as a probe."""

    measure: Callable[[Sizes], Any]

    def close(self) -> None:
        """Nothing to close."""


class LagSampler:
    """Samples at intervals; `found` gets each sample on the thread, with its topics, and when
    measuring it began, in monotonic seconds.

    The thread starts with the first topics, and ends when `alive` returns False. It is a daemon: it
    never keeps the interpreter from exiting. It logs the first error of each type.
    """

    def __init__(
        self,
        open_probe: Callable[[], Probe],
        every: float,
        alive: Callable[[], bool],
        found: Callable[[Any, Sizes, float], None],
        name: str,
    ) -> None:
        self._open_probe, self._every, self._alive = open_probe, every, alive
        self._found, self._name = found, name
        self._lock, self._wake = threading.Lock(), threading.Event()
        self._topics: dict[str, int] = {}
        self._covers: dict[str, int] = {}
        """The topics of the newest sample."""
        self._leading = False
        self._taken_at = self._next_at = 0.0
        self._logged: set[str] = set()
        self._thread: threading.Thread | None = None

    def set_topics(self, topics: Sizes, leading: bool) -> None:
        """Set what to measure; measure at once if there is no recent sample of it."""
        if not topics:
            return
        with self._lock:
            self._topics, self._leading = dict(topics), leading
            known = self._covers == self._topics
            self._next_at = min(self._next_at, self._taken_at + self._interval if known else 0.0)
        if self._thread is None:
            name = f"equilag-lag-{self._name}"
            self._thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._thread.start()
        self._wake.set()

    @property
    def _interval(self) -> float:
        return self._every if self._leading else self._every * FOLLOWER_FACTOR

    def _run(self) -> None:
        """Sample when it is time; only a leader keeps its probe open in between."""
        probe: Probe | None = None
        while self._alive():
            self._wake.clear()
            wait = self._next_at - time.monotonic()
            if wait > 0:
                self._wake.wait(min(wait, ALIVE_CHECK_S))
                continue
            try:
                probe = probe or self._open_probe()
                self._measure(probe)
                is_kept = self._leading
            except Exception as error:  # noqa: BLE001  the next sample may succeed
                self._log_failure(error)
                is_kept = False
            if not is_kept:
                _close(probe)
                probe = None
        _close(probe)

    def _measure(self, probe: Probe) -> None:
        with self._lock:
            topics = dict(self._topics)
        began = time.monotonic()
        sample = probe.measure(topics)
        with self._lock:
            self._covers, self._taken_at = topics, began
            # Topics that changed during the measurement are measured at once.
            self._next_at = began + self._interval if self._topics == topics else 0.0
        self._logged.clear()
        self._found(sample, topics, began)

    def _log_failure(self, error: Exception) -> None:
        """Log the first error of a type since the last success; the next attempt comes as usual."""
        self._next_at = time.monotonic() + self._every
        kind = type(error).__name__
        level = logging.DEBUG if kind in self._logged else logging.WARNING
        self._logged.add(kind)
        if self._alive():
            log.log(level, "group %s: the lag cannot be measured: %s: %s", self._name, kind, error)


def _close(probe: Probe | None) -> None:
    if probe is not None:
        try:
            probe.close()
        except Exception as error:  # noqa: BLE001  it is no longer needed
            log.debug("closing a connection failed: %s: %s", type(error).__name__, error)
