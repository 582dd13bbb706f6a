"""Paired exchange: even loads on a large scale, among members that are alike.

Partitions that are heavier than the mean of the others are settled first, each with the lightest
partitions beside it: the other members then share what is left, which bounds the lightest load from
above. Among the others, the heaviest and the lightest members are paired and exchange partitions,
round by round.

Alike members are the rows of a table of partitions (`MemberRows`), all of one length. Where members
differ in count by one, the shorter rows have an empty place, which counts as a partition without
lag; no row has two of them. All exchanges of a round, one for each pair of rows, are made in one
array operation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.budget import PATIENCE, TABLE
from equilag.domain.columns import Floats
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.solver.exchange.cyclic_exchanges import NEVER


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
        O(pairs × c log c + TABLE).
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
        size = min(width, 1 + math.isqrt(TABLE // len(heavy)))
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


MIN_PAIRS: Final = 24
"""Pairs of a round, if there are so many members, so that a round is worth its overhead."""


def exchange_in_pairs(
    group: Group,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    enough: int = 0,
    members: Ints | None = None,
) -> Index:
    """[P] an assignment with counts of the same interval and a spread that is no larger.

    For groups whose members are `all_alike`, or for one of the sets of `alike_members` (see
    `CountConstraint`); then the spread is that of those. Stops at a spread of `enough`.
    O(P log P), and for each round O(members log members + pairs × c log c), where c is the largest
    count.
    """
    rows = MemberRows(group, assigned, members)
    best, least = rows.table.copy(), rows.spread
    others = np.delete(np.arange(len(rows.table)), settle(rows))
    if rows.spread < least:
        best, least = rows.table.copy(), rows.spread
    number, stalled, patience = 0, 0, 3 * PATIENCE  # as there are three ways to pair
    while len(others) > 1 and stalled < patience and least > enough and not stop():
        rows.exchange(*pairs(rows.loads, others, rng, number), rng)
        number, stalled = number + 1, stalled + 1
        if rows.spread < least:
            best, least, stalled = rows.table.copy(), rows.spread, 0
    return rows.assigned(best, assigned)


def pairs(loads: Ints, members: Ints, rng: np.random.Generator, number: int) -> tuple[Ints, Ints]:
    """The heavy and the light member of each pair of round `number`.

    As many pairs as have loads far apart. In turn, the heaviest members are paired with the
    lightest ones, with others at random, and the lightest ones with others at random.
    """
    order = members[np.argsort(loads[members], kind="stable")]
    half = len(order) // 2
    light, heavy = order[:half], order[::-1][:half]
    apart = loads[heavy] - loads[light]
    far = min(half, max(MIN_PAIRS, int(np.count_nonzero(4 * apart >= apart[:1]))))
    light, heavy = light[:far], heavy[:far]
    if number % 3 == 1:
        light = rng.permutation(order[: len(order) - far])[:far]
    elif number % 3 == 2:
        heavy = rng.permutation(order[far:])[:far]
    return heavy, light


def settle(rows: MemberRows) -> Ints:
    """Give every partition that is too heavy for the others' mean a row of its own, with the
    lightest partitions beside it. Returns those rows. O(P log P)."""
    n_members, width = rows.table.shape
    holder = rows.holder()
    real = np.flatnonzero(holder[: rows.n_partitions] != NOBODY)
    light = real[np.argsort(rows.lag[real], kind="stable")]
    leads = light[::-1][: crowd(rows.lag[light], n_members, width, rows.n_empty)]
    chosen = _rows_for(holder[leads], n_members)
    empty = np.arange(rows.n_partitions, len(rows.lag))
    theirs = np.isin(holder[empty], chosen)
    # One empty place each, the rows' own ones first, so that none of them has to go elsewhere.
    most = len(leads) if width > 1 else 0
    empty = np.concatenate((empty[theirs], empty[~theirs]))[:most]
    room = np.full(len(leads), width - 1)
    room[: len(empty)] -= 1
    beside = light[: int(room.sum())]  # in turn: the very lightest lie beside the heaviest
    settled = np.concatenate((leads, empty, beside))
    rows_of = np.concatenate((chosen, chosen[: len(empty)], np.repeat(chosen, room)))
    displaced = np.isin(holder, chosen)
    displaced[settled] = False
    holder[displaced] = NOBODY
    holder[settled] = rows_of
    held = np.bincount(holder[holder != NOBODY], minlength=n_members)
    holder[displaced] = np.repeat(np.arange(n_members), width - held)
    rows.fill(holder)
    return chosen


def crowd(lag: Ints, n_members: int, width: int, n_empty: int) -> int:
    """How many of the heaviest partitions get a row of their own.

    The number that leaves the least mean load to the other rows. `lag` is ascending; rows have
    `width` places, and `n_empty` of all places are empty.
    """
    return int(np.argmin(mean_loads_left(lag, n_members, width, n_empty)))


def mean_loads_left(lag: Ints, n_members: int, width: int, n_empty: int) -> Floats:
    """The mean load of the other rows for each number of heaviest partitions with a row of their
    own, from 0 on; as for `crowd`."""
    n = np.arange(min(n_members, len(lag) + 1))
    beside = np.clip(n * (width - 1) - np.minimum(n, n_empty), 0, len(lag) - n)
    below = np.concatenate(([0], np.cumsum(lag)))
    left = below[len(lag) - n] - below[beside]
    found: Floats = left / (n_members - n)
    return found


def _rows_for(holder: Ints, n_members: int) -> Ints:
    """A row for each leading partition: its holder's, or one without a leading one."""
    chosen = np.full(len(holder), NOBODY, np.int64)
    own, first = np.unique(holder, return_index=True)
    chosen[first] = own
    free = np.delete(np.arange(n_members), own)
    chosen[chosen == NOBODY] = free[: len(holder) - len(own)]
    return chosen
