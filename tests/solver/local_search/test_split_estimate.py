"""Estimates of splits: of the right order where splits can be counted."""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
from support.target_rows import uniform_rows

from equilag.solver.local_search.exact_splits import (
    MAX_ROWS,
    _expected_subsets,
    estimate_split,
)


def test_choices_of_one_row_are_estimated() -> None:
    found = expected = 0.0
    for seed in range(40):
        rows = uniform_rows(np.random.default_rng(seed), 2, 8, 1_000)
        values = rows.lag.tolist()
        target = int(rows.targets[0])
        found += sum(abs(sum(c) - target) <= 5 for c in combinations(values, 8))
        expected += _expected_subsets(rows, 8, 5)[0]
    assert 0.8 * expected < found < 1.25 * expected


def test_wider_lags_take_more_rows_and_nodes() -> None:
    narrow, wide = (
        estimate_split(uniform_rows(np.random.default_rng(1), 20, 6, top)) for top in (10**3, 10**5)
    )
    assert narrow.rows_for_one <= narrow.rows_for_all < wide.rows_for_all <= MAX_ROWS
    assert narrow.rows_for_one < wide.rows_for_one
    assert narrow.nodes < wide.nodes < inf
    rows = uniform_rows(np.random.default_rng(1), 20, 6, 10**5)
    assert estimate_split(rows, 100).nodes < estimate_split(rows, 10).nodes < wide.nodes


def test_nothing_to_split() -> None:
    assert estimate_split(uniform_rows(np.random.default_rng(1), 1, 6, 10)).nodes == inf
    assert estimate_split(uniform_rows(np.random.default_rng(1), 9, 1, 10)).nodes == inf
