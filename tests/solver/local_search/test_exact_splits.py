"""Exact splits: few rows with wide lags, where single exchanges do not suffice."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from support.local_search import never
from support.target_rows import check_rows, copy_of, targets_of, uniform_rows

from equilag.solver.exchange.exact_transfers import TargetRows
from equilag.solver.local_search.exact_splits import split_exactly
from equilag.solver.local_search.subset_sums import SubsetPlaces


@pytest.mark.parametrize(
    ("n_rows", "width", "top", "empty"),
    [(2, 12, 10**5, 1), (5, 8, 10**4, 2), (10, 10, 10**6, 0), (12, 6, 10**3, 7)],
)
def test_rows_are_split_exactly(n_rows: int, width: int, top: int, empty: int) -> None:
    rng = np.random.default_rng(4)
    before = uniform_rows(rng, n_rows, width, top, empty)
    rows = copy_of(before)
    split_exactly(rows, SubsetPlaces(), rng, never, 100)
    check_rows(rows, before)
    assert not len(rows.off)


def test_targets_may_differ() -> None:
    rng = np.random.default_rng(5)
    rows = uniform_rows(rng, 4, 8, 1_000)
    targets = rows.targets + np.array([300, -300, 7, -7])
    rows = TargetRows(rows.table, rows.lag, rows.n_partitions, targets)
    split_exactly(rows, SubsetPlaces(), rng, never, 100)
    assert not len(rows.off)


def test_no_search_where_no_split_is_to_be_expected() -> None:
    rng = np.random.default_rng(6)
    lag = rng.integers(10**12, 10**13, 20)
    rows = TargetRows(np.arange(20).reshape(5, 4), lag, 20, targets_of(int(lag.sum()), 5))
    asked = count()
    split_exactly(rows, SubsetPlaces(), rng, lambda: next(asked) < 0, 100)
    assert next(asked) == 0
