"""The recent observations of a group as columns."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.adapters.measuring.topic_columns import (
    UNKNOWN_OFFSET,
    ObservedOffsets,
    TopicColumns,
    holder_column,
    renumbered,
)
from equilag.domain.columns import NOBODY, Floats, Index, Ints
from equilag.planner.simulation.rebalance_price import COMMIT_S

LEAST: Final = 8
"""Observations that are kept even if they are older than the window: a follower of an assignor may
look only every 60 s, and a speed is then sure to 7 %, by five of the steps between them."""
OLDEST_S: Final = 600.0
"""Seconds after which they are not kept either: ten times the longest time between two looks."""


class SampleRow(NamedTuple):
    """One observation of P partitions."""

    at: float
    offsets: Ints
    """[3, P] log starts, log ends and commits."""
    holder: Index
    """[P] number in `keys`, or NOBODY."""
    keys: tuple[str, ...]
    """Member keys."""


class SampleRing:
    """Observations of the last `seconds`, oldest first; at least `LEAST` within `OLDEST_S`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.rows: list[SampleRow] = []
        self.columns = TopicColumns({})

    def add(self, observed: ObservedOffsets) -> Ints | None:
        """Add an observation that is later than all others; drop those that are too old.

        Returns the number that each column had before if columns were renumbered, else None.
        """
        columns = TopicColumns(self._sizes(observed))
        numbers = None
        if columns.sizes != self.columns.sizes:
            numbers = columns.columns_in(self.columns)
            self.rows = [_renumbered_row(row, numbers) for row in self.rows]
            self.columns = columns
        self.rows.append(_row_of(observed, self.columns))
        newer = sum(row.at >= observed.at - self._seconds for row in self.rows)
        recent = sum(row.at >= observed.at - OLDEST_S for row in self.rows)
        self.rows = self.rows[-min(recent, max(newer, LEAST)) :]
        return numbers

    def times(self) -> Floats:
        """[S]"""
        return np.array([row.at for row in self.rows])

    def log_ends(self) -> Ints:
        """[S, P]"""
        return np.array([row.offsets[1] for row in self.rows])

    def commit_gap(self) -> float:
        """Return the longest time for which a member with unread records committed nothing, as seen
        before a commit came; 0 if none came. Nobody knows whether a partition without a commit has
        unread records. One may wait for longer, behind others of its member. Where observations are
        rare, a commit came in the usual time after the last without it."""
        return self._waits()[0]

    def commit_ages(self) -> dict[str, float]:
        """Return for how long members with unread records in the last observation have committed
        nothing, of all that they hold."""
        last, since = self.rows[-1], self._waits()[1]
        ages = np.full(len(last.keys) + 1, np.inf)
        np.minimum.at(ages, last.holder, np.where(np.isinf(since), np.inf, last.at - since))
        found = zip(last.keys, ages[:-1].tolist(), strict=True)
        return {key: age for key, age in found if np.isfinite(age)}

    def _waits(self) -> tuple[float, Floats]:
        """The longest time, and [P] since when each partition waits; inf for one that does not."""
        longest = 0.0
        since = np.full(self.columns.number, np.inf)
        for before, row in pairwise(self.rows):
            came = row.offsets[2] > before.offsets[2]
            commits = np.zeros(len(row.keys) + 1, dtype=np.bool_)
            commits[row.holder[came]] = True
            commits[NOBODY] = False
            came |= commits[row.holder]
            at = min(row.at, before.at + COMMIT_S)
            longest = max(longest, float((at - since[came]).max(initial=0.0)))
            waits = (row.offsets[2] >= 0) & (row.offsets[1] > row.offsets[2])
            anew = came | np.isinf(since) | (row.holder != before.holder)
            since = np.where(waits, np.where(anew, row.at, since), np.inf)
        return longest, since

    def samples(self, seconds: float) -> tuple[OffsetSamples, list[str]]:
        """Return the observations of the last `seconds`, or the last `LEAST`, and the keys of the
        members in the order of their numbers."""
        newer = sum(row.at >= self.rows[-1].at - seconds for row in self.rows)
        rows = self.rows[-max(newer, LEAST) :]
        numbers: dict[str, int] = {}
        holders: list[Index] = []
        for row in rows:
            own = [numbers.setdefault(key, len(numbers)) for key in row.keys]
            holders.append(np.array([*own, NOBODY], dtype=np.int32)[row.holder])
        times, offsets = np.array([row.at for row in rows]), np.array([row.offsets for row in rows])
        starts, ends, commits = offsets.swapaxes(0, 1)
        samples = OffsetSamples(times, ends, commits, np.array(holders), len(numbers), starts)
        return samples, list(numbers)

    def _sizes(self, observed: ObservedOffsets) -> dict[str, int]:
        """Topic -> partitions, of the observed topics and of others that were known recently.

        A topic may be missing in one observation because it could not be read.
        """
        sizes = {topic: len(row) for topic, row in observed.log_end.items()}
        for topic, place in self.columns:
            known = (row.offsets[1, place].max(initial=UNKNOWN_OFFSET) >= 0 for row in self.rows)
            if topic not in sizes and any(known):
                sizes[topic] = self.columns.sizes[topic]
        return sizes


def _row_of(observed: ObservedOffsets, columns: TopicColumns) -> SampleRow:
    rows = observed.log_start, observed.log_end, observed.committed
    offsets = np.array([columns.column(row) for row in rows])
    holder = holder_column(observed.holders, columns)
    return SampleRow(observed.at, offsets, holder, tuple(observed.holders))


def _renumbered_row(row: SampleRow, numbers: Ints) -> SampleRow:
    return row._replace(
        offsets=renumbered(row.offsets, numbers, UNKNOWN_OFFSET),
        holder=renumbered(row.holder, numbers, NOBODY),
    )
