"""A reader of a made-up group that changes from reading to reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace

import pytest

from equilag.adapters.kafka import group_samples
from equilag.adapters.kafka.described import DescribedMember
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import Reading, TopicOffsets

TOPIC = "orders"


def sampling_clock(
    monkeypatch: pytest.MonkeyPatch, sleep: Callable[[float], object] = lambda _: None
) -> list[float]:
    """Only sleeping moves the clock of the sampling, alone: threads that other tests have left
    behind sleep as well. How long it slept; `sleep` is called each time, too."""
    slept: list[float] = []

    def sleeps(seconds: float) -> None:
        sleep(seconds)
        slept.append(seconds)

    clock = SimpleNamespace(sleep=sleeps, monotonic=lambda: sum(slept))
    monkeypatch.setattr(group_samples, "time", clock)
    return slept


def member(name: str, *partitions: int) -> DescribedMember:
    return DescribedMember(name, (TOPIC,), owned={TOPIC: [*partitions]}, client_id=name)


MEMBERS = (member("a", 0, 1), member("b", 2))


def topic_row(offsets: TopicOffsets, sizes: Mapping[str, int]) -> TopicOffsets:
    """The same offsets with topics of other sizes; the first partition's stand for all."""
    end = offsets.log_end[TOPIC][0]
    return TopicOffsets(
        sizes=dict(sizes),
        log_start={topic: [0] * size for topic, size in sizes.items()},
        log_end={topic: [end] * size for topic, size in sizes.items()},
        committed={topic: [None] * size for topic, size in sizes.items()},
    )


class FakeReader(GroupReader):
    """Three partitions: 100 records more in each with every reading, and 40 committed in the first
    two; nothing is ever committed in the third. `failures` are raised by the nth call."""

    def __init__(
        self,
        members: Sequence[DescribedMember] = MEMBERS,
        failures: Mapping[int, Exception] | None = None,
        consumed: int = 40,
    ) -> None:
        self.asked: list[str] = []
        self._members = [*members]
        self._failures = failures or {}
        self._consumed = consumed

    def close(self) -> None:
        """There is no connection."""

    def read(self, group: str) -> Reading:
        offsets = self._next("read")
        return Reading(
            group, "classic", "Stable", "range", "2026-11-21T09:00:00Z", self._members, offsets
        )

    def lags(self, group: str, topics: Iterable[str], timeout: float | None = None) -> TopicOffsets:
        assert [*topics] == [TOPIC]
        return self._next("lags")

    def _next(self, what: str) -> TopicOffsets:
        number = len(self.asked)
        self.asked.append(what)
        if number in self._failures:
            raise self._failures[number]
        committed = self._consumed * (number + 1)
        return TopicOffsets(
            sizes={TOPIC: 3},
            log_start={TOPIC: [0, 0, 0]},
            log_end={TOPIC: [100 * (number + 1)] * 3},
            committed={TOPIC: [committed, committed, None]},
        )
