"""The partitions of some topics as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from equilag.domain.columns import NOBODY, Floats, Index, Ints

Number = TypeVar("Number", bound=np.generic)

UNKNOWN_OFFSET: Final = -1
"""In place of an offset, as in `OffsetSamples`."""
NEW: Final = -1
"""In place of a column's number before, for a partition that had none."""


@dataclass(frozen=True)
class TopicColumns:
    """P columns: the partitions of each topic in a row, topics in the order of `sizes`."""

    sizes: dict[str, int]

    def __iter__(self) -> Iterator[tuple[str, slice]]:
        """Yield each topic with its columns."""
        begin = 0
        for topic, size in self.sizes.items():
            yield topic, slice(begin, begin + size)
            begin += size

    @property
    def number(self) -> int:
        """P."""
        return sum(self.sizes.values())

    def column(self, rows: Mapping[str, Sequence[int | None]]) -> Ints:
        """[P] offsets; unknown for a topic that is missing or has fewer partitions. Partitions that
        are new have no column."""
        columns = np.full(self.number, UNKNOWN_OFFSET, dtype=np.int64)
        for topic, place in self:
            row = rows.get(topic, ())[: self.sizes[topic]]
            if len(row) == self.sizes[topic]:
                columns[place] = _known_offsets(row)
        return np.maximum(columns, UNKNOWN_OFFSET)

    def values(self, rows: Mapping[str, Sequence[float | None]]) -> Floats:
        """[P] the values of these topics; NaN for None, and for a topic that is missing or has
        another size."""
        values = np.full(self.number, np.nan)
        for topic, place in self:
            row = rows.get(topic, ())
            if len(row) == self.sizes[topic]:
                values[place] = [np.nan if one is None else one for one in row]
        return values

    def by_topic(self, values: Floats) -> dict[str, list[float | None]]:
        """Return values [P] by topic; None in place of NaN."""
        listed: list[float | None] = values.tolist()
        for column in np.flatnonzero(np.isnan(values)).tolist():
            listed[column] = None
        return {topic: listed[place] for topic, place in self}

    def columns_in(self, before: TopicColumns) -> Ints:
        """[P] the number that each column had before; NEW for a partition that had none.

        A topic that grew keeps its columns. One that shrank was made anew.
        """
        places = dict(before)
        numbers = np.full(self.number, NEW)
        for topic, place in self:
            earlier = places.get(topic, slice(0))
            size = earlier.stop - (earlier.start or 0)
            if 0 < size <= self.sizes[topic]:
                numbers[place.start : place.start + size] = np.arange(earlier.start, earlier.stop)
        return numbers


def _known_offsets(row: Sequence[int | None]) -> Ints:
    try:
        return np.array(row, dtype=np.int64)
    except TypeError:  # a None in it; to look for one first would take longer than all the rest
        known = [UNKNOWN_OFFSET if offset is None else offset for offset in row]
        return np.array(known, dtype=np.int64)


def renumbered(values: npt.NDArray[Number], numbers: Ints, fill: float) -> npt.NDArray[Number]:
    """Return an array [..., P before] with its columns as `columns_in` numbers them."""
    wider = np.concatenate(
        [values, np.full_like(values[..., :0], fill, shape=(*values.shape[:-1], 1))], axis=-1
    )
    return wider[..., numbers]


PartitionOffsets: TypeAlias = Mapping[str, Sequence[int | None]]
"""Topic -> one offset per partition; None or a negative number if unknown."""
HeldPartitions: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Member key -> topic -> partitions that the member holds."""


def holder_column(holders: HeldPartitions, columns: TopicColumns) -> Index:
    """[P] the position of the holder's key in `holders`, or NOBODY."""
    holder = np.full(columns.number, NOBODY, dtype=np.int32)
    places = dict(columns)
    for number, held in enumerate(holders.values()):
        for topic, partitions in held.items():
            if topic in places:
                view, given = holder[places[topic]], np.array(partitions, dtype=np.int64)
                view[given[(given >= 0) & (given < len(view))]] = number
    return holder


@dataclass(frozen=True, slots=True)
class ObservedOffsets:
    """One observation. A member key is the instance id of a static member, else the member id."""

    at: float
    """Seconds of a monotonic clock, at which the offsets were read."""
    log_start: PartitionOffsets
    """Topics may be missing; so may they in `committed`."""
    log_end: PartitionOffsets
    """These topics with these numbers of partitions are the topics of the observation."""
    committed: PartitionOffsets
    """None also for a partition without a commit."""
    holders: HeldPartitions = field(default_factory=dict)
    """A partition that no member holds, or that two claim to hold, is missing or its holder is the
    last one named."""

    @staticmethod
    def of(at: float, sizes: Mapping[str, int], *offsets: Mapping[Any, int]) -> ObservedOffsets:
        """Return an observation of topics with these sizes. `offsets` map (topic, partition) to log
        start, log end and commit; what is missing is unknown."""
        log_start, log_end, committed = (
            {topic: [one.get((topic, n)) for n in range(size)] for topic, size in sizes.items()}
            for one in offsets
        )
        return ObservedOffsets(at, log_start, log_end, committed)
