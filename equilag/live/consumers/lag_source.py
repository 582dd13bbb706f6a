"""Lag sources of an assignor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, runtime_checkable

from equilag.domain.errors import InputError
from equilag.domain.group.lag import RESETS
from equilag.live.rebalance.measured import Lags as Lags

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

    def close(self) -> None:
        """It is a probe of its own, with nothing to close."""


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
