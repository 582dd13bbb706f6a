"""What a leader knows of its group's load: from its own observations, or as lags from its user."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Sequence
from typing import Final, Protocol

import numpy as np

from equilag.domain.building.values import NULL
from equilag.domain.group.lag import NO_COMMIT, UNKNOWN, lag_from_offsets
from equilag.live.consumers.lag_source import Lags, LagSource, Sizes
from equilag.live.rebalance.measured import Measured
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.observed_offsets import ObservedOffsets

_WITHOUT_RESET: Final = "earliest"
"""How lags are counted as long as the setting is unknown: those without a commit are left out."""


class LoadSource(Protocol):
    """Has what was measured ready. A rebalance waits for its answer."""

    tells_rates: bool
    """False if it knows of lags only."""

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """Return what is known of topics with these sizes and of members with these keys; None if
        nothing was measured yet. May raise anything."""


class GivenLags:
    """Lags from a source of the user's, which tells neither rates nor speeds."""

    tells_rates = False

    def __init__(self, source: LagSource) -> None:
        self._source = source

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        sample = self._source.lags(sizes)
        return None if sample is None else Measured(sample.lags, age=sample.age)


class ObservedLoad:
    """Lags, rates and speeds from observed offsets. Safe to use from several threads.

    `reset` is the consumers' `auto.offset.reset`, None if it is unknown.
    """

    tells_rates = True

    def __init__(self, reset: str | None, tracker: LoadTracker | None = None) -> None:
        self._reset = reset
        self._tracker = tracker or LoadTracker()
        self._lock = threading.Lock()
        self._newest: ObservedOffsets | None = None

    def add(self, observed: ObservedOffsets) -> None:
        """Learn from an observation."""
        with self._lock:
            self._tracker.add(observed)
            self._newest = observed

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """As `LoadSource`; None too if the newest observation lacks a topic or knows another
        size."""
        with self._lock:
            newest = self._newest
            if newest is None:
                return None
            known = {topic: len(ends) for topic, ends in newest.log_end.items()}
            if any(known.get(topic) != size for topic, size in sizes.items()):
                return None
            now = time.monotonic()
            rates = self._tracker.rates(sizes)
            return Measured(
                lags_of_observed(newest, self._reset),
                age=now - newest.at,
                rates=rates.rates,
                rate_errors=rates.errors,
                capacities=self._tracker.capacities(keys, now),
            )


def lags_of_observed(observed: ObservedOffsets, reset: str | None) -> Lags:
    """Return the lag of each partition by topic; None if it is unknown.

    As long as `reset` is unknown, so is the lag of a partition without a commit, unless its log is
    empty.
    """
    return {
        topic: _lags(
            observed.committed.get(topic, ()), observed.log_start.get(topic, ()), ends, reset
        )
        for topic, ends in observed.log_end.items()
    }


def _lags(
    committed: Sequence[int | None],
    log_start: Sequence[int | None],
    log_end: Sequence[int | None],
    reset: str | None,
) -> list[int | None]:
    columns = [
        np.array([NULL if one is None else one for one in row] or [NULL] * len(log_end))
        for row in (committed, log_start, log_end)
    ]
    lag, quality = lag_from_offsets(columns[0], columns[1], columns[2], reset or _WITHOUT_RESET)
    unknown = quality == UNKNOWN
    if reset is None:
        unknown |= (quality == NO_COMMIT) & (lag > 0)
    return [None if u else n for n, u in zip(lag.tolist(), unknown.tolist(), strict=True)]
