"""Alike members as the rows of a table of partitions, for exchanges in bulk.

All rows have one length. Where members differ in count by one, the shorter rows have an empty
place, which counts as a partition without lag; no row has two of them. All exchanges of a round,
one for each pair of rows, are made in one array operation.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints

MAX_TABLE: Final = 400_000
"""Array elements of the table of single exchanges of a round; wider rows are sampled."""
MIN_SAMPLE: Final = 12
"""Partitions of each row that are sampled at least, however many rows there are."""
NEVER: Final = np.int64(2**62)
"""A distance of loads above any other: the sum of all lags stays below it."""


class MemberRows:
    """The partitions of some members as a table [members, c] of places, each row by ascending lag.

    Places below P are partitions, the others are empty.
    """

    def __init__(self, group: Group, assigned: Index, members: Ints | None = None) -> None:
        """Of all members, or of a set of `CountConstraint.alike_members`, ascending. O(P log P)."""
        self.members: Ints = np.arange(group.n_members) if members is None else members
        row = np.full(group.n_members + 1, NOBODY, np.int64)  # the last one stands for NOBODY
        row[self.members] = np.arange(len(self.members))
        holder = row[assigned]
        counts = np.bincount(holder[holder != NOBODY], minlength=len(self.members))
        width = int(counts.max(initial=0))
        short = np.flatnonzero(counts < width)
        self.n_partitions = group.n_partitions
        self.n_empty = len(short)
        self.lag: Ints = np.concatenate((group.lag, np.zeros(self.n_empty, np.int64)))
        self.table: Ints = np.zeros((len(self.members), width), np.int64)
        self.loads: Ints = np.zeros(len(self.members), np.int64)
        self.fill(np.concatenate((holder, short)))

    def fill(self, holder: Ints) -> None:
        """Fill the table from the row of every place [places], NOBODY for those outside it."""
        held = np.flatnonzero(holder != NOBODY)
        order = np.argsort(self.lag[held], kind="stable")
        order = order[np.argsort(holder[held][order], kind="stable")]
        self.table = held[order].reshape(self.table.shape)
        self.loads = self.lag[self.table].sum(axis=1)

    def holder(self) -> Ints:
        """[places] the row of each place, NOBODY for places outside the table."""
        result = np.full(len(self.lag), NOBODY, np.int64)
        result[self.table] = np.arange(len(self.table))[:, None]
        return result

    def assigned(self, table: Ints, others: Index) -> Index:
        """[P] the assignment with the rows of `table`; other partitions stay as in `others`."""
        result = np.append(others, np.zeros(self.n_empty, np.int32))
        result[table] = self.members.astype(np.int32)[:, None]
        return result[: self.n_partitions]

    @property
    def spread(self) -> int:
        return int(self.loads.max() - self.loads.min())

    def exchange(self, heavy: Ints, light: Ints, rng: np.random.Generator) -> None:
        """Bring the loads of each pair of rows closer together; no row is in two pairs.

        First the heaviest of the heavy row are exchanged for the lightest of the light one, as many
        as bring the two closer; then the one exchange that leaves them closest.
        O(pairs × c log c + MAX_TABLE).
        """
        lighter = self.loads[heavy] < self.loads[light]
        heavy, light = np.where(lighter, light, heavy), np.where(lighter, heavy, light)
        self._in_bulk(heavy, light)
        self._one_each(heavy, light, rng)
        self._sort(np.concatenate((heavy, light)))

    def _in_bulk(self, heavy: Ints, light: Ints) -> None:
        give, take = self.table[heavy, ::-1], self.table[light]
        gain = np.maximum(self.lag[give] - self.lag[take], 0)
        if self.n_empty:
            gain[self._has_empty(heavy)[:, None] & (take >= self.n_partitions)] = 0
        apart = self.loads[heavy] - self.loads[light]
        much = (gain > 0) & (np.cumsum(gain, axis=1) <= apart[:, None] // 2)
        rows = np.flatnonzero(much[:, 0])
        if not len(rows):
            return
        give, take, much = give[rows], take[rows], much[rows]
        self.table[heavy[rows]] = np.where(much, take, give)
        self.table[light[rows]] = np.where(much, give, take)
        self._shift(heavy[rows], light[rows], np.where(much, gain[rows], 0).sum(axis=1))

    def _one_each(self, heavy: Ints, light: Ints, rng: np.random.Generator) -> None:
        width = self.table.shape[1]
        size = min(width, max(MIN_SAMPLE, int((MAX_TABLE / len(heavy)) ** 0.5)))
        out, into = (
            np.arange(width) if size == width else rng.choice(width, size, replace=False)
            for _ in range(2)
        )
        give, take = self.table[np.ix_(heavy, out)], self.table[np.ix_(light, into)]
        apart = self.loads[heavy] - self.loads[light]
        change = self.lag[give][:, :, None] - self.lag[take][:, None, :]
        after = np.abs(apart[:, None, None] - 2 * change)
        if self.n_empty:
            second = self._has_empty(heavy)[:, None] & (take >= self.n_partitions)
            after[np.broadcast_to(second[:, None, :], after.shape)] = NEVER
        flat = after.reshape(len(heavy), -1)
        pick = flat.argmin(axis=1)
        rows = np.flatnonzero(flat[np.arange(len(heavy)), pick] < apart)
        i, j = np.divmod(pick[rows], size)
        given, taken = give[rows, i], take[rows, j]
        self.table[heavy[rows], out[i]] = taken
        self.table[light[rows], into[j]] = given
        self._shift(heavy[rows], light[rows], self.lag[given] - self.lag[taken])

    def _shift(self, heavy: Ints, light: Ints, change: Ints) -> None:
        self.loads[heavy] -= change
        self.loads[light] += change

    def _has_empty(self, rows: Ints) -> Flags:
        found: Flags = np.logical_or.reduce(self.table[rows] >= self.n_partitions, axis=1)
        return found

    def _sort(self, rows: Ints) -> None:
        table = self.table[rows]
        order = np.argsort(self.lag[table], axis=1, kind="stable")
        self.table[rows] = np.take_along_axis(table, order, axis=1)
