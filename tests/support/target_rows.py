"""Tables of rows with targets, and what must hold after any search over them."""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import Ints
from equilag.solver.exchange.exact_transfers import TargetRows


def uniform_rows(
    rng: np.random.Generator, n_rows: int, width: int, top: int, empty: int = 0
) -> TargetRows:
    """Rows of uniform lags at random, `empty` of them one partition short, with equal targets."""
    n = n_rows * width - empty
    lag = np.concatenate((rng.integers(1, top + 1, n), np.zeros(empty, np.int64)))
    short = np.sort(rng.choice(n_rows, empty, replace=False))
    table = np.empty((n_rows, width), np.int64)
    full = np.ones((n_rows, width), np.bool_)
    full[short, 0] = False
    table[full] = rng.permutation(n)
    table[~full] = np.arange(n, len(lag))
    return TargetRows(table, lag, n, targets_of(int(lag.sum()), n_rows))


def targets_of(total: int, n_rows: int) -> Ints:
    targets = np.full(n_rows, total // n_rows)
    targets[: total % n_rows] += 1
    return targets


def check_rows(rows: TargetRows, before: TargetRows) -> None:
    """The same places, no row with two empty ones, and the excess as it should be."""
    assert np.array_equal(np.sort(rows.table, axis=None), np.sort(before.table, axis=None))
    assert (rows.table >= rows.n_partitions).sum(axis=1).max() <= 1
    assert np.array_equal(rows.excess, rows.lag[rows.table].sum(axis=1) - rows.targets)
    assert rows.excess.sum() == 0


def copy_of(rows: TargetRows) -> TargetRows:
    return TargetRows(rows.table.copy(), rows.lag, rows.n_partitions, rows.targets)
