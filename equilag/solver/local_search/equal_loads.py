"""Equal loads: alike members brought to the mean load exactly, or to one of its neighbours.

Members with a partition that is too heavy for the mean stay as they are; the others share what is
left. Exact transfers bring most of these to their targets, exact splits the last ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equilag.group import Group, Index, Ints
from equilag.solver.local_search.exact_splits import split_exactly
from equilag.solver.local_search.exact_transfers import TargetRows, transfer_exactly
from equilag.solver.local_search.member_rows import MemberRows
from equilag.solver.local_search.paired_exchange import crowd
from equilag.solver.local_search.subset_sums import SubsetPlaces


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
    listed = SubsetPlaces()
    transfer_exactly(level, listed, rng, stop)
    split_exactly(level, listed, rng, stop)
    rows.table[chosen] = level.table
    rows.loads[chosen] = level.targets + level.excess
    return rows.assigned(rows.table, assigned) if rows.spread < before else assigned


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
