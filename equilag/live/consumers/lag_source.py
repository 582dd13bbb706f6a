"""Lag sources of an assignor, and the lag that follows from offsets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from equilag.domain.errors import InputError
from equilag.domain.group.lag import RESETS
from equilag.live.rebalance.measured import Lags as Lags
from equilag.live.rebalance.measured import Measured, lags_of
from equilag.live.tracking.load_tracker import LoadTracker
from equilag.live.tracking.topic_columns import HeldPartitions, ObservedOffsets

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


class LoadSource(Protocol):
    """Has what was measured ready, for several threads. A rebalance waits for its answer."""

    def add(self, sample: Any, topics: Sizes, at: float, holders: HeldPartitions) -> None:
        """Learn from a sample of these topics, begun at `at` (monotonic seconds), while members
        held these partitions."""

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """Return what is known of topics with these sizes and of members with these keys; None if
        nothing was measured yet. May raise anything."""


class GivenLags:
    """Lags from a source of the user's, which tells neither rates nor speeds."""

    def __init__(self, source: LagSource | None) -> None:
        """None stands for an assignor whose consumer was not found."""
        self._source = source

    def add(self, sample: Any, topics: Sizes, at: float, holders: HeldPartitions) -> None:
        """The source has them."""

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        if self._source is None:
            raise LookupError("the consumer was not found, so its lag cannot be measured")
        sample = self._source.lags(sizes)
        return None if sample is None else Measured(sample.lags, age=sample.age)


class SampledLags:
    """Lags that a function of the user's returned last."""

    _newest: tuple[Lags, Sizes, float] | None = None

    def add(self, sample: Any, topics: Sizes, at: float, holders: HeldPartitions) -> None:
        self._newest = sample, topics, at

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """As `LoadSource`; None too if the newest sample lacks a topic or knows another size."""
        if self._newest is None or not sizes.items() <= self._newest[1].items():
            return None
        return Measured(self._newest[0], age=time.monotonic() - self._newest[2])


class ObservedLoad:
    """Lags, rates and speeds from observed offsets.

    `reset` is the consumers' `auto.offset.reset`, None if it is unknown.
    """

    def __init__(self, reset: str | None, tracker: LoadTracker | None = None) -> None:
        self._reset = reset
        self._tracker = tracker or LoadTracker()
        self._lock = threading.Lock()
        self._newest: ObservedOffsets | None = None

    def add(self, sample: Any, topics: Sizes, at: float, holders: HeldPartitions) -> None:
        with self._lock:
            self._newest = replace(sample, holders=holders)
            self._tracker.add(self._newest)

    def measured(self, sizes: Sizes, keys: Collection[str]) -> Measured | None:
        """As `LoadSource`; None too if the newest observation lacks a topic or knows another
        size."""
        with self._lock:
            newest = self._newest
            if newest is None:
                return None
            known = {topic: len(ends) for topic, ends in newest.log_end.items()}
            if not sizes.items() <= known.items():
                return None
            now = time.monotonic()
            rates = self._tracker.rates(sizes)
            return Measured(
                lags_of(newest.committed, newest.log_start, newest.log_end, self._reset),
                age=now - newest.at,
                rates=rates.rates,
                rate_errors=rates.errors,
                capacities=self._tracker.capacities(keys, now),
            )
