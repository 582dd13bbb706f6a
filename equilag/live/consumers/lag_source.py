"""Where an assignor has its lags from, and how a lag follows from offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, runtime_checkable

from equilag.adapters.snapshot.read_lags import RESETS
from equilag.errors import InputError

Lags: TypeAlias = Mapping[str, Sequence[int | None]]
"""Topic to records behind, one entry per partition; None where nobody knows."""
Sizes: TypeAlias = Mapping[str, int]
"""Topic to number of partitions."""
Measure: TypeAlias = Callable[[Sizes], Lags]

EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class LagSample:
    """Lags, and how many seconds ago they were measured."""

    lags: Lags
    age: float


@runtime_checkable
class LagSource(Protocol):
    """Has lags at hand. It is asked in the middle of a rebalance, and must answer at once."""

    def lags(self, topics: Sizes) -> LagSample | None:
        """The newest lags of these topics and sizes, None where there are none yet."""


@dataclass(frozen=True, slots=True)
class StaticLag:
    """Lags that never change: for tests, and where they stand for something else, such as costs."""

    given: Lags

    def lags(self, topics: Sizes) -> LagSample:
        return LagSample(self.given, 0.0)


@dataclass(frozen=True, slots=True)
class LiveLag:
    """Committed offsets against log ends, from the consumer's own cluster with its own settings.

    Measured on a thread every so many seconds by the member that leads, six times less often by
    the others. `auto_offset_reset` says what partitions without a commit lag; None stands for the
    consumer's own setting where its client tells it (kafka-python), otherwise for `latest`.
    Raises InputError.
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
    """A function of the user's that may take its time: it runs on a thread every so often.

    It gets the topics with their sizes and returns the lag of each partition. Raises InputError.
    """

    measure: Measure
    every: float = EVERY_S

    def __post_init__(self) -> None:
        _check_every(self.every)


Lag: TypeAlias = LagSource | LiveLag | Background | Measure


def checked(lag: object) -> LagSource | LiveLag | Background:
    """A lag setting; a plain function is to be run in the background. Raises InputError."""
    if isinstance(lag, (LiveLag, Background)):
        return lag
    if isinstance(lag, LagSource) and not isinstance(lag, type):
        return lag
    if callable(lag) and not isinstance(lag, type):
        return Background(lag)
    raise InputError(f"{lag!r} has no lags() and is no function", "lag")


def lag_of(start: int, end: int, committed: int | None, reset: str) -> int:
    """Records that are still to be read of one partition; `committed` None without a commit."""
    if committed is None or committed < 0:
        return 0 if reset == "latest" else end - start
    return max(0, end - max(committed, start))


def by_topic(topics: Sizes, known: Iterable[tuple[str, int, int]]) -> dict[str, list[int | None]]:
    """Lags by topic, from topic, partition and lag."""
    lags: dict[str, list[int | None]] = {topic: [None] * size for topic, size in topics.items()}
    for topic, partition, lag in known:
        lags[topic][partition] = lag
    return lags


def _check_every(every: float) -> None:
    if isinstance(every, bool) or not isinstance(every, (int, float)) or not 0.05 <= every <= 86400:
        raise InputError(f"{every!r} is not a number of seconds from 0.05 to 86400", "every")
