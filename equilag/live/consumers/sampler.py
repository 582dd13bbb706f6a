"""Measuring on a thread, so that a rebalance finds the newest sample ready."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from equilag.live.consumers.lag_source import Sizes

log: Final = logging.getLogger("equilag.consumers")

FOLLOWER_FACTOR: Final = 12
"""A follower samples this many times less often than the leader, once in a minute by default: its
samples only serve the first rebalances that it leads itself, and each member adds load to the
brokers."""
ALIVE_CHECK_S: Final = 0.5
"""How often the thread checks whether its consumer still exists."""

Found = Callable[[Any, Sizes, float], None]
"""Gets a sample, its topics, and when measuring it began, in monotonic seconds."""


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


@dataclass(slots=True)
class _Shared:
    """What thread and sampler share: the thread must not keep the sampler alive."""

    open_probe: Callable[[], Probe]
    every: float
    alive: Callable[[], bool]
    found: Found
    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    wake: threading.Event = field(default_factory=threading.Event)
    topics: dict[str, int] = field(default_factory=dict)
    leading: bool = False
    stopped: bool = False
    covers: dict[str, int] = field(default_factory=dict)
    """The topics of the newest sample."""
    taken_at: float = 0.0
    next_at: float = 0.0

    @property
    def interval(self) -> float:
        return self.every if self.leading else self.every * FOLLOWER_FACTOR


class LagSampler:
    """Samples at intervals; `found` gets each sample, on the thread.

    The thread starts with the first topics. It ends when `alive` returns False or the sampler is
    deleted. It is a daemon: it never keeps the interpreter from exiting. It logs the first error of
    each type.
    """

    def __init__(
        self,
        open_probe: Callable[[], Probe],
        every: float,
        alive: Callable[[], bool],
        found: Found,
        name: str,
    ) -> None:
        self._shared = _Shared(open_probe, every, alive, found, name)
        self._thread: threading.Thread | None = None

    def __del__(self) -> None:
        self.stop()

    def stop(self) -> None:
        """Make the thread end; does not wait for it."""
        self._shared.stopped = True
        self._shared.wake.set()

    def set_topics(self, topics: Sizes, leading: bool) -> None:
        """Set what to measure; measure at once if there is no recent sample of it."""
        shared = self._shared
        if not topics:
            return
        with shared.lock:
            shared.topics, shared.leading = dict(topics), leading
            known = shared.covers == shared.topics
            next_at = shared.taken_at + shared.interval if known else 0.0
            shared.next_at = min(shared.next_at, next_at)
        if self._thread is None:
            self._thread = threading.Thread(
                target=_run, args=(shared,), name=f"equilag-lag-{shared.name}", daemon=True
            )
            self._thread.start()
        shared.wake.set()


def _run(shared: _Shared) -> None:
    """The thread: sample when it is time; only a leader keeps its probe open in between."""
    probe: Probe | None = None
    logged: set[str] = set()
    try:
        while not shared.stopped and shared.alive():
            shared.wake.clear()
            wait = shared.next_at - time.monotonic()
            if wait > 0:
                shared.wake.wait(min(wait, ALIVE_CHECK_S))
                continue
            try:
                if probe is None:
                    probe = shared.open_probe()
                _measure(shared, probe)
                logged.clear()
            except Exception as error:  # noqa: BLE001  the next sample may succeed
                _log_failure(shared, error, logged)
                _close(probe)
                probe = None
            if not shared.leading:
                _close(probe)
                probe = None
    finally:
        _close(probe)


def _measure(shared: _Shared, probe: Probe) -> None:
    with shared.lock:
        topics = dict(shared.topics)
    began = time.monotonic()
    sample = probe.measure(topics)
    with shared.lock:
        shared.covers, shared.taken_at = topics, began
        # Topics that changed during the measurement are measured at once.
        shared.next_at = began + shared.interval if shared.topics == topics else 0.0
    if not shared.stopped:
        shared.found(sample, topics, began)


def _log_failure(shared: _Shared, error: Exception, logged: set[str]) -> None:
    """Log the first error of a type since the last success; the next attempt comes as usual."""
    shared.next_at = time.monotonic() + shared.every
    kind = type(error).__name__
    level = logging.DEBUG if kind in logged else logging.WARNING
    logged.add(kind)
    if not shared.stopped and shared.alive():
        log.log(level, "group %s: the lag cannot be measured: %s: %s", shared.name, kind, error)


def _close(probe: Probe | None) -> None:
    if probe is not None:
        try:
            probe.close()
        except Exception as error:  # noqa: BLE001  it is no longer needed
            log.debug("closing a connection failed: %s: %s", type(error).__name__, error)
