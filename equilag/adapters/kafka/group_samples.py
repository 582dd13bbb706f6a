"""A live group sampled over some time (offsets again and again, members at both ends), with the
rates and capacities that follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from equilag.adapters.kafka.described import MissingRight, TemporarilyUnreadable, TopicPartition
from equilag.adapters.kafka.reading import Reading, TopicOffsets
from equilag.adapters.measuring import speeds
from equilag.adapters.measuring.offset_samples import OffsetSamples, lags_of
from equilag.adapters.measuring.rates import Estimates
from equilag.adapters.measuring.speeds import (
    ALIKE,
    Measurements,
    measure,
    surely_faster,
    usable_capacities,
)
from equilag.adapters.measuring.topic_columns import TopicColumns, holder_column
from equilag.domain.errors import EquilagError
from equilag.domain.figures import form, number, percent, plural
from equilag.domain.group.member import Member

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_reader import GroupReader
    from equilag.domain.building.group_input import GroupInput


MIN_PERIOD_S: Final = 1.0
"""Between two samples: a fifth of the default commit interval, so that the time of a commit is
known well enough; a broker gets a few small requests per second."""
MAX_PERIOD_S: Final = 10.0
"""Twice the default commit interval: beyond it, more samples would add little."""
_SAMPLES: Final = 120
"""Samples beyond which the period grows, up to its maximum."""
_TRIES: Final = 5
"""Readings of a group that rebalances at the end, each of which waits about two seconds."""


@dataclass(slots=True)
class GroupSamples:
    """What was read of a group. Columns [P] are the partitions of `first`, topic by topic."""

    first: Reading
    last: Reading
    times: list[float] = field(default_factory=list)
    """Seconds of the monotonic clock."""
    offsets: list[TopicOffsets] = field(default_factory=list)
    """What was read at these times."""
    failed: list[str] = field(default_factory=list)
    """Why samples in between could not be read."""

    def add(self, offsets: TopicOffsets) -> None:
        """Add what was read just now."""
        self.times.append(time.monotonic())
        self.offsets.append(offsets)

    @property
    def changed(self) -> set[str]:
        """The members of `last` that did not hold the same partitions at first."""
        before = {one.id: _held(one.owned) for one in self.first.members}
        return {one.id for one in self.last.members if before.get(one.id) != _held(one.owned)}

    @property
    def rebalanced(self) -> bool:
        """True if members joined or left, or partitions changed hands."""
        return bool(self.changed) or len(self.first.members) != len(self.last.members)

    def samples(self) -> OffsetSamples:
        """Return the samples as columns; members are numbered as in `last`.

        Who held what between the first and the last reading is known only of members that hold the
        same in both. The others hold nothing here.
        """
        columns = TopicColumns(self.first.offsets.sizes)
        start, end, committed = (
            np.array([columns.column(getattr(one, name)) for one in self.offsets])
            for name in ("log_start", "log_end", "committed")
        )
        changed = self.changed
        held = {one.id: {} if one.id in changed else one.owned for one in self.last.members}
        holder = np.broadcast_to(holder_column(held, columns), end.shape)
        return OffsetSamples(np.array(self.times), end, committed, holder, len(held), start)

    def course(self) -> list[tuple[float, int]]:
        """Seconds since the first sample, and the lag of all partitions of which it is known."""
        lags = lags_of(self.samples()).sum(axis=1).astype(np.int64).tolist()
        return [(at - self.times[0], lag) for at, lag in zip(self.times, lags, strict=True)]


def sample_group(
    reader: GroupReader,
    group: str,
    seconds: float,
    show: Callable[[float], object] = lambda _: None,
) -> GroupSamples:
    """Read a group at the beginning and at the end of `seconds`, and its offsets in between.

    Offsets alone take four requests, and no member is asked for. `show` is called with the seconds
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


def measured_input(found: GroupSamples, reset: str | None) -> tuple[GroupInput, list[str]]:
    """Return the group as it was at the end of its samples with what was measured of it, and
    remarks about that."""
    measured = measure(found.samples())
    given = found.last.group_input(reset)
    put_into(given, found, measured)
    seconds = found.times[-1] - found.times[0]
    if seconds > 0 and not found.rebalanced and found.first.offsets.sizes == given["topics"]:
        given["previous"] = round(seconds, 3), found.first.offsets.arrays()
    return given, [*remarks_of(found, measured)]


def put_into(given: GroupInput, found: GroupSamples, measured: Measurements) -> None:
    """Add the known rates and capacities to what is known of a group."""
    if measured.produced.n_known:
        given["rates"] = _rates_by_topic(found, measured)
    members = (one for one in given["members"] if isinstance(one, Member))
    capacities = usable_capacities(measured).tolist()
    given["members"] = [
        replace(member, capacity=_rounded(capacity))
        for member, capacity in zip(members, capacities, strict=True)
    ]


def _rates_by_topic(found: GroupSamples, measured: Measurements) -> dict[str, list[float | None]]:
    """Topic -> a rate for each partition that exists at the end, None where it is unknown."""
    values = np.array([*map(_rounded, measured.produced.value.tolist())], dtype=np.float64)
    rates = TopicColumns(found.first.offsets.sizes).by_topic(values)
    return {
        topic: (rates.get(topic, []) + [None] * size)[:size]
        for topic, size in found.last.offsets.sizes.items()
    }


def _rounded(value: float) -> float | None:
    """A measured figure with six significant digits; None for NaN."""
    return None if value != value else float(f"{value:.6g}")


def remarks_of(found: GroupSamples, measured: Measurements) -> Iterator[str]:
    """Yield what was measured, and what is unknown and why."""
    rates = measured.produced
    taken = f"{plural(len(found.times), 'sample')} in {found.times[-1] - found.times[0]:.0f} s"
    total = number(float(rates.value[rates.window > 0].sum()))
    known = f"{plural(rates.n_known, 'rate')}, {total} records/s in all"
    yield f"{taken}: {known}; {_capacities(measured.capacities.estimates)}"
    if found.failed:
        yield f"{plural(len(found.failed), 'sample')} could not be read: {found.failed[0]}"
    if unknown := len(rates.value) - rates.n_known:
        have = f"{plural(unknown, 'partition')} had no two known log ends"
        yield f"{have}: {_unknown(unknown, 'rate')}"
    if found.rebalanced:
        yield "the group rebalanced while it was sampled"
    for what, count in _without_speed(found, measured.capacities.reason.tolist()):
        if count:
            yield f"{plural(count, 'member')} {what}: {_unknown(count, 'speed')}"
    yield from _taken_as_measured(measured)


def _capacities(estimates: Estimates) -> str:
    """How many capacities, from which to which, and how sure."""
    known = estimates.window > 0
    words = plural(estimates.n_known, "capacity", "capacities")
    if not estimates.n_known:
        return words
    low, high = float(estimates.value[known].min()), float(estimates.value[known].max())
    error = float((estimates.error[known] / estimates.value[known]).max())
    between = number(low) if low == high else f"{number(low)} to {number(high)}"
    return f"{words}, {between} records/s, each within {percent(100 * error)} (standard error)"


def _without_speed(found: GroupSamples, reasons: list[int]) -> list[tuple[str, int]]:
    """What members of unknown speed did, and how many they are."""
    changed = len(found.changed)
    without = reasons.count(int(speeds.NO_BACKLOG)) + reasons.count(int(speeds.NOT_ALL_ALONG))
    return [
        ("changed partitions", changed),
        ("did not always have a backlog", without),
        ("committed less than twice", reasons.count(int(speeds.FEW_COMMITS))),
        ("had no partitions", reasons.count(int(speeds.NO_PARTITIONS)) - changed),
    ]


def _taken_as_measured(measured: Measurements) -> Iterator[str]:
    """Yield what a plan takes for speeds that are unknown, or not told apart."""
    known, used = measured.capacities.estimates.value, usable_capacities(measured)
    faster = surely_faster(measured)
    if count := int(np.count_nonzero(faster)):
        what = form(count, "it consumes counts as its", "they consume counts as their")
        median = number(float(np.nanmedian(known)))
        yield (
            f"{plural(count, 'member')} of unknown speed {form(count, 'consumes', 'consume')} more"
            f" than {median} records/s, the median of the known speeds: what {what} capacity"
        )
    if np.unique(used[~np.isnan(used)]).size < np.unique(known[~np.isnan(known)]).size:
        yield f"speeds within {100 * (ALIKE - 1):.0f} % of each other count as one"


def _unknown(count: int, what: str) -> str:
    return f"{form(count, 'its', 'their')} {what} is unknown"
