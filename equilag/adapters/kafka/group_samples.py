"""A live group sampled over some time: offsets again and again, members at both ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from equilag.adapters.kafka.described import MissingRight
from equilag.adapters.kafka.group_reader import GroupReader, TemporarilyUnreadable
from equilag.adapters.kafka.reading import Offsets, Reading, TopicOffsets
from equilag.adapters.kafka.sample_rows import TopicPartition
from equilag.adapters.measuring.offset_samples import OffsetSamples, lags_of
from equilag.domain.columns import NOBODY, Index, Ints
from equilag.domain.errors import EquilagError

MIN_PERIOD_S: Final = 1.0
"""Between two samples: a fifth of the default commit interval, so that the time of a commit is
known well enough; a broker gets a few small requests per second."""
MAX_PERIOD_S: Final = 10.0
"""Twice the default commit interval: beyond it, more samples would add little."""
_SAMPLES: Final = 120
"""Samples beyond which the period grows, up to its maximum."""
_TRIES: Final = 5
"""Readings of a group that rebalances at the end, each of which waits about two seconds."""
_UNKNOWN: Final = -1


@dataclass(slots=True)
class GroupSamples:
    """What was read of a group. Columns [P] are the partitions of `first`, topic by topic."""

    first: Reading
    last: Reading
    times: list[float] = field(default_factory=list)
    """Seconds of the monotonic clock."""
    log_start: list[Ints] = field(default_factory=list)
    log_end: list[Ints] = field(default_factory=list)
    committed: list[Ints] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Why samples in between could not be read."""

    def add(self, offsets: TopicOffsets) -> None:
        """Add what was read just now."""
        self.times.append(time.monotonic())
        for columns, rows in (
            (self.log_start, offsets.log_start),
            (self.log_end, offsets.log_end),
            (self.committed, offsets.committed),
        ):
            columns.append(_column(rows, self.first.offsets.sizes))

    @property
    def changed(self) -> list[int]:
        """Numbers of the members of `last` that did not hold the same partitions at first."""
        before = {one.id: _held(one.owned) for one in self.first.members}
        return [
            number
            for number, one in enumerate(self.last.members)
            if before.get(one.id) != _held(one.owned)
        ]

    @property
    def rebalanced(self) -> bool:
        """True if members joined or left, or partitions changed hands."""
        return bool(self.changed) or len(self.first.members) != len(self.last.members)

    def samples(self) -> OffsetSamples:
        """Return the samples as columns; members are numbered as in `last`.

        Who held what between the first and the last reading is known only of members that hold the
        same in both. The others hold nothing here.
        """
        sizes = self.first.offsets.sizes
        shape = (len(self.times), sum(sizes.values()))
        start, end, committed = (
            np.array(rows, dtype=np.int64).reshape(shape)
            for rows in (self.log_start, self.log_end, self.committed)
        )
        holder = np.broadcast_to(self._holder(), shape)
        n_members = len(self.last.members)
        return OffsetSamples(np.array(self.times), end, committed, holder, n_members, start)

    def course(self) -> list[tuple[float, int]]:
        """Seconds since the first sample, and the lag of all partitions of which it is known."""
        lags = lags_of(self.samples()).sum(axis=1).astype(np.int64).tolist()
        return [(at - self.times[0], lag) for at, lag in zip(self.times, lags, strict=True)]

    def _holder(self) -> Index:
        sizes = self.first.offsets.sizes
        begin = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
        holder = np.full(sum(sizes.values()), NOBODY, dtype=np.int32)
        changed = set(self.changed)
        for number, member in enumerate(self.last.members):
            if number not in changed:
                for topic, partition in _held(member.owned):
                    if partition < sizes.get(topic, 0):
                        holder[begin[topic] + partition] = number
        return holder


def sample_group(
    reader: GroupReader,
    group: str,
    seconds: float,
    show: Callable[[float], object] = lambda _: None,
) -> GroupSamples:
    """Read a group at the beginning and at the end of `seconds`, and its offsets in between.

    Offsets alone take three requests, and no member is asked for. `show` is called with the seconds
    that have passed. A sample in between that cannot be read is left out. Raises what
    `GroupReader.read` raises.
    """
    begin = time.monotonic()
    first = reader.read(group)
    found = GroupSamples(first, first)
    found.add(first.offsets)
    for due in times_between(seconds):
        _wait(begin, due, show)
        try:
            found.add(reader.lags(group, first.offsets.sizes))
        except MissingRight:
            raise
        except EquilagError as error:
            found.failed.append(str(error))
    _wait(begin, seconds, show)
    found.last = _read_when_stable(reader, group)
    found.add(found.last.offsets)
    return found


def times_between(seconds: float) -> list[float]:
    """Return when to read offsets between the beginning and the end, in seconds."""
    period = min(max(seconds / _SAMPLES, MIN_PERIOD_S), MAX_PERIOD_S)
    return [float(at) for at in np.arange(period, seconds - period / 2, period)]


def _wait(begin: float, due: float, show: Callable[[float], object]) -> None:
    """Sleep until `due` seconds after `begin`, showing the time."""
    while (left := begin + due - time.monotonic()) > 0:
        show(due - left)
        time.sleep(min(left, MIN_PERIOD_S))


def _read_when_stable(reader: GroupReader, group: str) -> Reading:
    for _ in range(_TRIES - 1):
        try:
            return reader.read(group)
        except TemporarilyUnreadable:
            continue
    return reader.read(group)


def _held(owned: Mapping[str, Iterable[int]]) -> frozenset[TopicPartition]:
    return frozenset((topic, number) for topic, numbers in owned.items() for number in numbers)


def _column(rows: Offsets, sizes: Mapping[str, int]) -> Ints:
    """[P] the offsets of topics of these sizes, -1 where they are unknown."""
    column = np.full(sum(sizes.values()), _UNKNOWN, dtype=np.int64)
    begin = 0
    for topic, size in sizes.items():
        row = [_UNKNOWN if offset is None else offset for offset in rows.get(topic, [])[:size]]
        column[begin : begin + len(row)] = row
        begin += size
    return column
