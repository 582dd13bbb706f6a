"""Measuring on a thread, so that a rebalance finds the newest sample ready."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

from equilag.live.consumers.lag_source import Lags, LagSample, Sizes

log: Final = logging.getLogger("equilag.consumers")

FOLLOWER_FACTOR: Final = 12
"""A follower samples this many times less often than the leader, once in a minute by default: its
samples only serve the first rebalances that it leads itself, and each member adds load to the
brokers."""
ALIVE_CHECK_S: Final = 0.5
"""How often the thread checks whether its consumer still exists."""


Sample = TypeVar("Sample")
Made = TypeVar("Made", covariant=True)


class Probe(Protocol[Made]):
    """A connection that measures, for one thread."""

    def measure(self, topics: Sizes) -> Made:
        """Return a sample of these topics. May raise anything."""

    def close(self) -> None:
        """Close the connection. May raise anything."""


@dataclass(slots=True)
class MeasureProbe(Generic[Sample]):
    """A user's function as a probe."""

    function: Callable[[Sizes], Sample]

    def measure(self, topics: Sizes) -> Sample:
        return self.function(topics)

    def close(self) -> None:
        """Nothing to close."""


@dataclass(slots=True)
class _Shared(Generic[Sample]):
    """What thread and sampler share: the thread must not keep the sampler alive."""

    open_probe: Callable[[], Probe[Sample]]
    every: float
    alive: Callable[[], bool]
    found: Callable[[Sample], None]
    """Called on the thread with each sample."""
    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    wake: threading.Event = field(default_factory=threading.Event)
    topics: dict[str, int] = field(default_factory=dict)
    leading: bool = False
    stopped: bool = False
    newest: Sample | None = None
    taken_at: float = 0.0
    covers: dict[str, int] = field(default_factory=dict)
    """The topics of the newest sample."""
    next_at: float = 0.0


class LagSampler(Generic[Sample]):
    """Samples at intervals.

    The thread starts with the first topics. It ends when `alive` returns False or the sampler is
    deleted. It is a daemon: it never keeps the interpreter from exiting. It logs the first error of
    each type.
    """

    def __init__(
        self,
        open_probe: Callable[[], Probe[Sample]],
        every: float,
        alive: Callable[[], bool],
        found: Callable[[Sample], None],
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
            known = shared.newest is not None and shared.covers == shared.topics
            next_at = shared.taken_at + _interval(shared) if known else 0.0
            shared.next_at = min(shared.next_at, next_at)
        if self._thread is None:
            self._thread = threading.Thread(
                target=_run, args=(shared,), name=f"equilag-lag-{shared.name}", daemon=True
            )
            self._thread.start()
        shared.wake.set()

    def newest(self, topics: Sizes) -> tuple[Sample, float] | None:
        """Return the newest sample and its age in seconds; None if it lacks one of these topics or
        sizes."""
        shared = self._shared
        with shared.lock:
            covered = all(shared.covers.get(topic) == size for topic, size in topics.items())
            if shared.newest is None or not covered:
                return None
            return shared.newest, time.monotonic() - shared.taken_at


@dataclass(frozen=True, slots=True)
class SampledLags:
    """The lag source of a sampler that samples lags."""

    sampler: LagSampler[Lags]

    def lags(self, topics: Sizes) -> LagSample | None:
        found = self.sampler.newest(topics)
        return None if found is None else LagSample(*found)


def _interval(shared: _Shared[Sample]) -> float:
    return shared.every if shared.leading else shared.every * FOLLOWER_FACTOR


def _run(shared: _Shared[Sample]) -> None:
    """The thread: sample when it is time; only a leader keeps its probe open in between."""
    probe: Probe[Sample] | None = None
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


def _measure(shared: _Shared[Sample], probe: Probe[Sample]) -> None:
    with shared.lock:
        topics = dict(shared.topics)
    began = time.monotonic()
    sample = probe.measure(topics)
    with shared.lock:
        shared.newest, shared.covers, shared.taken_at = sample, topics, began
        # Topics that changed during the measurement are measured at once.
        shared.next_at = began + _interval(shared) if shared.topics == topics else 0.0
    if not shared.stopped:
        shared.found(sample)


def _log_failure(shared: _Shared[Sample], error: Exception, logged: set[str]) -> None:
    """Log the first error of a type since the last success; the next attempt comes as usual."""
    shared.next_at = time.monotonic() + shared.every
    kind = type(error).__name__
    level = logging.DEBUG if kind in logged else logging.WARNING
    logged.add(kind)
    if not shared.stopped and shared.alive():
        log.log(level, "group %s: the lag cannot be measured: %s: %s", shared.name, kind, error)


def _close(probe: Probe[Sample] | None) -> None:
    if probe is not None:
        try:
            probe.close()
        except Exception as error:  # noqa: BLE001  it is no longer needed
            log.debug("closing a connection failed: %s: %s", type(error).__name__, error)
