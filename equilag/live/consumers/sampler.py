"""Measuring on a thread, so that a rebalance finds the newest sample ready; and what a leader knows
of the load of its group by it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from equilag.adapters.measuring.topic_columns import HeldPartitions, ObservedOffsets
from equilag.domain.errors import describe_error
from equilag.live.consumers.lag_source import LagSource, Sizes
from equilag.live.rebalance.joined_members import JoinedMember, member_key
from equilag.live.rebalance.measured import Measured, Racks, lags_of, too_few_lags, with_size
from equilag.live.tracking.load_tracker import LoadTracker

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


class LeaderLoad:
    """Samples of one group: `source` has them, or they are added. Those older than `max_age` s do
    not count. Safe to use from several threads."""

    def __init__(
        self, source: LagSource | None, reset: str | None, max_age: float, name: str
    ) -> None:
        """`reset` is the consumers' `auto.offset.reset`, None if it is unknown; `name` is that of
        the group."""
        self._source, self._reset, self._max_age, self._name = source, reset, max_age, name
        self._failures: set[str] = set()
        self._tracker = LoadTracker()
        self._lock = threading.Lock()
        self._newest: tuple[Any, Sizes, float] | None = None

    def add(self, sample: Any, topics: Sizes, at: float, holders: HeldPartitions) -> None:
        """Learn from a sample of these topics, begun at `at` (monotonic seconds), while members
        held these partitions: observed offsets, or the lags that a user's function returned."""
        with self._lock:
            self._newest = sample, topics, at
            if isinstance(sample, ObservedOffsets):
                self._tracker.add(replace(sample, holders=holders))

    def failed(self, error: Exception) -> None:
        """Write that something of the user's failed: the first failure of each type."""
        if (kind := type(error).__name__) not in self._failures:
            self._failures.add(kind)
            log.warning("group %s: the lag source failed: %s", self._name, describe_error(error))

    def measured(
        self, members: Sequence[JoinedMember], sizes: Sizes, racks: Racks | None
    ) -> tuple[Measured, str | None]:
        """Return what is known; and why nothing is to be planned by it, if so. Never raises."""
        nothing = Measured(racks=racks)
        try:
            found = self._found(sizes, [member_key(one) for one in members if one.topics])
        except Exception as error:  # noqa: BLE001  the user's own code
            self.failed(error)
            return nothing, f"the lag source failed: {describe_error(error)}"
        if found is None:
            return nothing, "no lag has been measured yet"
        if found.age > self._max_age:
            return nothing, f"the newest lags are {found.age:.0f} s old"
        try:
            reason = too_few_lags(with_size(found.lags, sizes))
        except Exception as error:  # noqa: BLE001  the user's lags may be anything
            return nothing, f"the lags cannot be used: {describe_error(error)}"
        rates = (rate for row in found.rates.values() for rate in row)
        if reason is not None and any(rate is not None for rate in rates):
            # Rates alone tell more than lags that would count as 0 for some partitions.
            found, reason = replace(found, lags={}), None
        return replace(found, racks=racks), reason

    def _found(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """What is known of topics with these sizes and members with these keys; None if nothing
        was measured yet, or the newest sample lacks a topic or knows another size."""
        if self._source is not None:
            given = self._source.lags(sizes)
            return None if given is None else Measured(given.lags, age=given.age)
        with self._lock:
            if self._newest is None or not sizes.items() <= self._newest[1].items():
                return None
            sample, _, at = self._newest
            now = time.monotonic()
            if not isinstance(sample, ObservedOffsets):
                return Measured(sample, age=now - at)
            rates, errors = self._tracker.rates(sizes)
            return Measured(
                lags_of(sample.committed, sample.log_start, sample.log_end, self._reset),
                age=now - sample.at,
                rates=rates,
                rate_errors=errors,
                capacities=self._tracker.capacities(keys, now),
            )
