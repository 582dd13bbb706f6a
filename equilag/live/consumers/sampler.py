"""Measures lag on a thread of its own, so that what was found last is at hand in a rebalance."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from equilag.live.consumers.lag_source import Lags, LagSample, Measure, Sizes

log: Final = logging.getLogger("equilag.consumers")

FOLLOWER: Final = 6
"""A member that does not lead measures so many times less often."""
LOOK_S: Final = 0.5
"""How often the thread looks whether its consumer is still there."""


class Probe(Protocol):
    """A connection that measures lag; used by one thread."""

    def measure(self, topics: Sizes) -> Lags:
        """Raises anything."""

    def close(self) -> None:
        """Let go of the connection. Raises anything."""


@dataclass(slots=True)
class MeasureProbe:
    """A function of the user's as a probe."""

    function: Measure

    def measure(self, topics: Sizes) -> Lags:
        return self.function(topics)

    def close(self) -> None:
        """There is nothing to close."""


@dataclass(slots=True)
class _Shared:
    """What thread and sampler have in common: the thread must not keep the sampler alive."""

    open_probe: Callable[[], Probe]
    every: float
    alive: Callable[[], bool]
    found: Callable[[], None]
    """Called on the thread after each sample."""
    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    wake: threading.Event = field(default_factory=threading.Event)
    topics: dict[str, int] = field(default_factory=dict)
    leading: bool = False
    stopped: bool = False
    lags: Lags | None = None
    taken_at: float = 0.0
    covers: dict[str, int] = field(default_factory=dict)
    """The topics of the newest sample."""
    next_at: float = 0.0


class LagSampler:
    """A lag source that measures every so many seconds.

    The thread starts with the first topics and ends when `alive` says no or the sampler is gone. It
    is a daemon: it never keeps an interpreter from ending. Of errors it logs the first of a kind.
    """

    def __init__(
        self,
        open_probe: Callable[[], Probe],
        every: float,
        alive: Callable[[], bool],
        found: Callable[[], None],
        name: str,
    ) -> None:
        self._shared = _Shared(open_probe, every, alive, found, name)
        self._thread: threading.Thread | None = None

    def __del__(self) -> None:
        self.stop()

    def stop(self) -> None:
        """Have the thread end; does not wait for it."""
        self._shared.stopped = True
        self._shared.wake.set()

    def watch(self, topics: Sizes, leading: bool) -> None:
        """What to measure from now on; at once if that has not been measured lately."""
        shared = self._shared
        if not topics:
            return
        with shared.lock:
            shared.topics, shared.leading = dict(topics), leading
            known = shared.lags is not None and shared.covers == shared.topics
            due = shared.taken_at + _pace(shared) if known else 0.0
            shared.next_at = min(shared.next_at, due)
        if self._thread is None:
            self._thread = threading.Thread(
                target=_run, args=(shared,), name=f"equilag-lag-{shared.name}", daemon=True
            )
            self._thread.start()
        shared.wake.set()

    def lags(self, topics: Sizes) -> LagSample | None:
        """The newest sample; topics that it lacks, or has in another size, count as not known."""
        shared = self._shared
        with shared.lock:
            if shared.lags is None or not all(shared.covers.get(t) == n for t, n in topics.items()):
                return None
            return LagSample(shared.lags, time.monotonic() - shared.taken_at)


def _pace(shared: _Shared) -> float:
    return shared.every if shared.leading else shared.every * FOLLOWER


def _run(shared: _Shared) -> None:
    """The thread: measures when it is time, and keeps its probe only as long as it leads."""
    probe: Probe | None = None
    said: set[str] = set()
    try:
        while not shared.stopped and shared.alive():
            shared.wake.clear()
            wait = shared.next_at - time.monotonic()
            if wait > 0:
                shared.wake.wait(min(wait, LOOK_S))
                continue
            try:
                if probe is None:
                    probe = shared.open_probe()
                _measure(shared, probe)
                said.clear()
            except Exception as error:  # noqa: BLE001  whatever it is, it may pass
                _log_failure(shared, error, said)
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
    lags = probe.measure(topics)
    with shared.lock:
        shared.lags, shared.covers, shared.taken_at = lags, topics, began
        # What changed in the meantime is measured at once.
        shared.next_at = began + _pace(shared) if shared.topics == topics else 0.0
    if shared.leading and not shared.stopped:
        shared.found()


def _log_failure(shared: _Shared, error: Exception, said: set[str]) -> None:
    """Log the first error of a kind since it last went well, and try again at the usual pace."""
    shared.next_at = time.monotonic() + shared.every
    kind = type(error).__name__
    level = logging.DEBUG if kind in said else logging.WARNING
    said.add(kind)
    if not shared.stopped and shared.alive():
        log.log(level, "group %s: lag cannot be measured: %s: %s", shared.name, kind, error)


def _close(probe: Probe | None) -> None:
    if probe is not None:
        try:
            probe.close()
        except Exception as error:  # noqa: BLE001  it is of no use any more anyway
            log.debug("closing a connection failed: %s: %s", type(error).__name__, error)
