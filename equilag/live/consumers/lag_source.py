"""Lag sources of an assignor, and the lag that follows from offsets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from equilag.domain.building.integer_columns import NULL
from equilag.domain.errors import InputError
from equilag.domain.group.lag import NO_COMMIT, RESETS, UNKNOWN, lag_from_offsets
from equilag.live.rebalance.measured import Lags as Lags
from equilag.live.rebalance.measured import Measured
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.topic_columns import ObservedOffsets

Sizes: TypeAlias = Mapping[str, int]
"""Topic -> number of partitions."""
Measure: TypeAlias = Callable[[Sizes], Lags]

EVERY_S: Final = 5.0
"""The default sampling interval: as often as the steward observes. A rate is known after two steps,
and a rebalance takes two samples that agree."""


@dataclass(frozen=True, slots=True)
class LagSample:
    """Lags and their age in seconds."""

    lags: Lags
    age: float


@runtime_checkable
class LagSource(Protocol):
    """Has lags ready. A rebalance waits for its answer, so it must return at once."""

    def lags(self, topics: Sizes) -> LagSample | None:
        """Return the newest lags of topics with these sizes; None if there are none yet."""


@dataclass(frozen=True, slots=True)
class StaticLag:
    """Lags that never change: for tests, and where lag stands for something else, such as cost."""

    given: Lags

    def lags(self, topics: Sizes) -> LagSample:
        return LagSample(self.given, 0.0)


@dataclass(frozen=True, slots=True)
class LiveLag:
    """Committed offsets and log ends, from the consumer's own cluster with its own settings.

    They tell lags, and over time the rates of partitions and the speeds of members. The leader
    measures every `every` seconds on a thread, the other members twelve times less often.
    `auto_offset_reset` says what lag a partition without a commit has; None stands for the
    consumer's own setting. Raises InputError.
    """

    every: float = EVERY_S
    auto_offset_reset: str | None = None

    def __post_init__(self) -> None:
        _check_every(self.every)
        if self.auto_offset_reset not in (None, *RESETS):
            raise InputError(
                f"{self.auto_offset_reset!r} is none of {', '.join(RESETS)}", "auto_offset_reset"
            )


@dataclass(frozen=True, slots=True)
class Background:
    """A user's function that may take its time: it runs on a thread every `every` seconds.

    It gets the topics with their sizes and returns the lag of each partition. Raises InputError.
    """

    measure: Measure
    every: float = EVERY_S

    def __post_init__(self) -> None:
        _check_every(self.every)


Lag: TypeAlias = LagSource | LiveLag | Background | Measure


def checked(lag: object) -> LagSource | LiveLag | Background:
    """Return a valid lag source; a plain function becomes a `Background`. Raises InputError."""
    if isinstance(lag, (LiveLag, Background)):
        return lag
    if isinstance(lag, LagSource) and not isinstance(lag, type):
        return lag
    if callable(lag) and not isinstance(lag, type):
        return Background(lag)
    raise InputError(f"{lag!r} is neither a lag source (with a method lags) nor a function", "lag")


def _check_every(every: float) -> None:
    if isinstance(every, bool) or not isinstance(every, (int, float)) or not 0.05 <= every <= 86400:
        raise InputError(f"{every!r} is not a number of seconds from 0.05 to 86400", "every")


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
