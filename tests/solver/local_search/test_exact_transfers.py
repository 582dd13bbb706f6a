"""Exact transfers: rows reach their targets, keep their number of places, and lose nothing."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from support.local_search import never
from support.target_rows import check_rows, copy_of, uniform_rows

from equilag.solver.exchange.exact_transfers import transfer_exactly
from equilag.solver.local_search.exact_splits import split_exactly
from equilag.solver.local_search.subset_sums import SubsetPlaces


@pytest.mark.parametrize(
    ("n_rows", "width", "top", "empty"),
    [(4, 40, 10**3, 0), (30, 12, 10**4, 0), (30, 12, 10**4, 13), (200, 8, 10**4, 77)],
)
def test_all_rows_reach_their_targets(n_rows: int, width: int, top: int, empty: int) -> None:
    rng = np.random.default_rng(3)
    before = uniform_rows(rng, n_rows, width, top, empty)
    rows = copy_of(before)
    transfer_exactly(rows, SubsetPlaces(), rng, never)
    check_rows(rows, before)
    assert len(rows.off) < len(before.off) // 4
    split_exactly(rows, SubsetPlaces(), rng, never, 100)
    check_rows(rows, before)
    assert not len(rows.off)
    assert rows.spread == int(rows.targets.max() - rows.targets.min())


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_lost_on_small_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, width = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    empty = int(rng.integers(n_rows))
    before = uniform_rows(rng, n_rows, width, int(rng.choice([1, 9, 10**5])), empty)
    rows = copy_of(before)
    asked = count()
    transfer_exactly(rows, SubsetPlaces(), rng, never)
    check_rows(rows, before)
    assert len(rows.off) <= len(before.off)
    split_exactly(rows, SubsetPlaces(), rng, lambda: next(asked) > 300, 100)
    check_rows(rows, before)


def test_nothing_changes_when_it_is_stopped() -> None:
    rng = np.random.default_rng(3)
    rows = uniform_rows(rng, 20, 8, 10**4, 5)
    given = rows.table.copy()
    transfer_exactly(rows, SubsetPlaces(), rng, lambda: True)
    split_exactly(rows, SubsetPlaces(), rng, lambda: True, 100)
    assert np.array_equal(rows.table, given)
