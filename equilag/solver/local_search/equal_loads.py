"""Equal loads: alike members brought to the mean load exactly, or to one of its neighbours.

Members with a partition that is too heavy for the mean stay as they are; the others share what is
left. Exact transfers bring most of these to their targets, exact splits the last ones. Where lags
are too wide for that, loads come within a distance of the targets, and then within shorter ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.group.group import Group, Index, Ints
from equilag.solver.exchange.exact_transfers import SubsetPlaces, TargetRows, transfer_exactly
from equilag.solver.exchange.paired_exchange import MemberRows, crowd
from equilag.solver.local_search.exact_splits import estimate_split, split_exactly

QUICK_EXACT: Final = 1_000
"""Expected nodes of splits, about 1 s, up to which exact ones are tried at once."""
QUICK: Final = 100
"""Expected nodes of the first splits where these are out of reach; narrower distances follow."""
PATIENCE: Final = (10, 30, 100, 300)
"""Times the expected number of nodes that splits may take, in the first search and the next ones:
the estimate takes all rows for full, and was up to 20 times too low where most are not."""
NARROWER: Final = 4
"""A distance that was reached is divided by it."""


def equalise_loads(
    group: Group,
    assigned: Index,
    rng: np.random.Generator,
    stop: Callable[[], bool],
    members: Ints | None = None,
) -> Index:
    """[P] an assignment with counts of the same interval and a spread that is no larger.

    For groups whose members are `all_alike`, or for one of the sets of `alike_members` (see
    `CountConstraint`); then the spread is that of those. Start from loads that are close to each
    other. `stop` is asked about once for each millisecond of work.
    """
    rows = MemberRows(group, assigned, members)
    before = rows.spread
    chosen = divisible(rows)
    if before <= 1 or len(chosen) < 2:
        return assigned
    level = TargetRows(rows.table[chosen], rows.lag, rows.n_partitions, equal_targets(rows, chosen))
    best = _narrowed(level, before, rng, stop)
    rows.table[chosen] = best
    rows.loads[chosen] = rows.lag[best].sum(axis=1)
    return rows.assigned(rows.table, assigned) if rows.spread < before else assigned


def _narrowed(
    level: TargetRows, before: int, rng: np.random.Generator, stop: Callable[[], bool]
) -> Ints:
    """The most even table found: on target exactly where that takes little, or ever closer to it.

    A distance from the targets that was not reached is followed by a larger one, halfway between it
    and the least one that was, on a logarithmic scale. Then the search starts anew with more
    patience.
    """
    listed = SubsetPlaces()
    best, least = level.table.copy(), level.spread
    for patience in PATIENCE:
        failed, reached = -1, least // 2
        within = first_distance(level, reached)
        while within is not None and not stop():
            level.within = within
            transfer_exactly(level, listed, rng, stop)
            split_exactly(level, listed, rng, stop, patience)
            if level.spread < least:
                best, least = level.table.copy(), level.spread
            if not len(level.off):
                reached = within
            else:
                failed = within
                level.restore(best)
            within = next_distance(failed, reached)
        if reached == 0 or stop():
            break
    return best


def first_distance(level: TargetRows, most: int) -> int | None:
    """The least distance, 0 or a power of 2, at which a split takes little.

    0 for rows too wide to be split, where transfers have to do; None if none is below `most`.
    """
    nodes = estimate_split(level, 0).nodes
    if nodes <= QUICK_EXACT or nodes == math.inf:
        return 0
    for power in range(most.bit_length()):
        if estimate_split(level, 1 << power).nodes <= QUICK:
            return 1 << power
    return None


def next_distance(failed: int, reached: int) -> int | None:
    """The distance to try next, between one that failed and one that was reached; None if there is
    none."""
    if failed < 0:
        return reached // NARROWER if reached else None
    within: int = math.isqrt(max(failed, 1) * reached)
    return within if failed < within < reached else None


def divisible(rows: MemberRows) -> Ints:
    """The rows without one of the partitions that are too heavy for the mean of the other rows."""
    n_rows, width = rows.table.shape
    if width < 2:
        return np.zeros(0, np.int64)
    places = rows.table[rows.table < rows.n_partitions]
    by_lag = places[np.argsort(rows.lag[places], kind="stable")]
    heavy = crowd(rows.lag[by_lag], n_rows, width, rows.n_empty)
    holders = rows.holder()[by_lag[len(by_lag) - heavy :]]
    return np.setdiff1d(np.arange(n_rows), holders)


def equal_targets(rows: MemberRows, chosen: Ints) -> Ints:
    """[chosen] the mean load rounded down or up to what sums of these lags can be.

    The heavier rows get the larger targets; the targets add up to the loads.
    """
    loads = rows.loads[chosen]
    unit = max(1, int(np.gcd.reduce(rows.lag[rows.table[chosen]], axis=None)))
    whole, rest = divmod(int(loads.sum()) // unit, len(chosen))
    targets = np.full(len(chosen), whole * unit)
    targets[np.argsort(-loads, kind="stable")[:rest]] += unit
    return targets
