"""Three-way splits: the places of three alike members dealt anew, close to their targets.

Where members hold few partitions, hardly any subsets differ by an exact excess. Then the member
furthest off its target is taken with pairs of others: of all subsets that it could hold of the
three members' places, those closest to its target are kept, and for each of these all ways to deal
the rest to the other two are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from equilag.domain.budget import TABLE
from equilag.domain.columns import ROUNDING, Floats
from equilag.domain.group.group import Flags, Group, Index, Ints
from equilag.solver.exchange.exact_transfers import PIECE, TargetRows
from equilag.solver.exchange.paired_exchange import MemberRows, mean_loads_left


class _Subsets(NamedTuple):
    """All subsets of `size` out of `n` places."""

    chosen: Ints
    """[subsets, size]"""
    left: Ints
    """[subsets, n − size]"""

    @staticmethod
    def of(n: int, size: int) -> _Subsets:
        chosen = np.array(list(combinations(range(n), size)), np.int64)
        out = np.ones((len(chosen), n), np.bool_)
        np.put_along_axis(out, chosen, False, axis=1)
        return _Subsets(chosen, np.nonzero(out)[1].reshape(len(chosen), n - size))


def bring_close(
    group: Group,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    members: Ints | None = None,
) -> Index:
    """[P] an assignment with counts of the same interval and a spread that is no larger.

    For groups whose members are `all_alike`, or for one of the sets of `alike_members` (see
    `CountConstraint`); then the spread is that of those. Where some partitions are too heavy for
    the level of the others, only shortages count. `stop` is asked about once for each millisecond
    of work.
    """
    rows = MemberRows(group, assigned, members)
    n_rows, width = rows.table.shape
    places = rows.table[rows.table < rows.n_partitions]
    left = mean_loads_left(np.sort(rows.lag[places]), n_rows, width, rows.n_empty)
    level, lenient = int(left.min()), bool(left.argmin() > 0)
    if rows.spread <= 1:
        return assigned
    close = TargetRows(rows.table, rows.lag, rows.n_partitions, np.full(n_rows, level))
    before = rows.spread
    split_three_ways(close, rng, stop, lenient)
    return rows.assigned(close.table, assigned) if close.spread < before else assigned


def split_three_ways(
    rows: TargetRows, rng: np.random.Generator, stop: Callable[[], bool], lenient: bool
) -> None:
    """Bring rows closer to their targets, until no step gains anything.

    The sum of the fourth powers of the excesses falls with every step, so that the furthest rows
    come first. If `lenient`, only shortages count. `stop` is asked before each `PIECE` of subset
    sums. Rows stay as they are where three of them have more than `PIECE` subsets.
    """
    n_rows, width = rows.table.shape
    if n_rows < 3 or width < 2 or comb(3 * width, width) > PIECE:
        return
    subsets = _Subsets.of(3 * width, width), _Subsets.of(2 * width, width)
    stuck = np.zeros(n_rows, np.bool_)
    while not stuck.all():
        weight = np.where(stuck, -1.0, _weight(rows.excess, lenient))
        row = int(weight.argmax())
        if weight[row] <= 0.0:
            return
        others = _pairs_of_others(n_rows, row, TABLE // subsets[0].chosen.size, rng)
        work = len(others) * len(subsets[0].chosen) + TABLE // width
        if any(stop() for _ in range(1 + work // PIECE)):
            return
        if _split(rows, row, others, subsets, lenient):
            stuck[:] = False
        else:
            stuck[row] = True


def _weight(excess: Ints, lenient: bool) -> Floats:
    """The fourth power of each excess; 0 for a surplus if `lenient`."""
    counted = (np.minimum(excess, 0) if lenient else excess).astype(np.float64)
    squared = counted * counted
    return squared * squared


def _pairs_of_others(n_rows: int, row: int, most: int, rng: np.random.Generator) -> Ints:
    """[pairs, 2] different rows other than `row`; of more than `most` pairs, a sample."""
    one, other = np.triu_indices(n_rows - 1, 1)
    if len(one) > most:
        drawn = rng.choice(len(one), most, replace=False)
        one, other = one[drawn], other[drawn]
    found = np.stack((one, other), axis=1)
    return found + (found >= row)


def _split(
    rows: TargetRows,
    row: int,
    others: Ints,
    subsets: tuple[_Subsets, _Subsets],
    lenient: bool,
) -> bool:
    """Deal the places of `row` and of the best pair of others anew; False if that gains nothing."""
    first, second = subsets
    trio = np.concatenate((np.full((len(others), 1), row), others), axis=1)
    places = rows.table[trio].reshape(len(others), -1)
    lag = rows.lag[places]
    mine = lag[:, first.chosen].sum(axis=2) - rows.targets[row]
    now = _weight(rows.excess[trio], lenient).sum(axis=1)
    closer = mine > rows.excess[row] if lenient else np.abs(mine) < abs(int(rows.excess[row]))
    pair, subset = np.nonzero(closer)
    most = TABLE // second.chosen.size
    if len(pair) > most:  # those closest to the target
        kept = np.argpartition(np.abs(mine[pair, subset]), most)[:most]
        pair, subset = pair[kept], subset[kept]
    if not len(pair):
        return False
    left = np.take_along_axis(places[pair], first.left[subset], axis=1)
    ours = rows.lag[left]
    one = ours[:, second.chosen].sum(axis=2) - rows.targets[others[pair, 0]][:, None]
    two = ours[:, second.left].sum(axis=2) - rows.targets[others[pair, 1]][:, None]
    before = now[pair] - _weight(mine[pair, subset], lenient)
    gain = before[:, None] - _weight(one, lenient) - _weight(two, lenient)
    if len(rows.lag) > rows.n_partitions:
        gain[~_one_empty_each(rows, places[pair], left, first.chosen[subset], second)] = -np.inf
    best, way = divmod(int(gain.argmax()), gain.shape[1])
    if gain[best, way] <= ROUNDING * now[pair[best]]:
        return False
    dealt = (
        places[pair[best], first.chosen[subset[best]]],
        left[best, second.chosen[way]],
        left[best, second.left[way]],
    )
    for member, held in zip(trio[pair[best]].tolist(), dealt, strict=True):
        rows.refill(member, held)
    return True


def _one_empty_each(
    rows: TargetRows, places: Ints, left: Ints, chosen: Ints, second: _Subsets
) -> Flags:
    """[kept, ways] True where no row gets two empty places."""
    empty, rest = places >= rows.n_partitions, left >= rows.n_partitions
    first = np.take_along_axis(empty, chosen, axis=1).sum(axis=1) <= 1
    one = rest[:, second.chosen].sum(axis=2) <= 1
    fits: Flags = first[:, None] & one & (rest[:, second.left].sum(axis=2) <= 1)
    return fits
