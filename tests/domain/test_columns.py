"""Columns of integers."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.columns import FEW, among, distinct


@pytest.mark.parametrize("size", [0, 1, 30, FEW, FEW + 1, 5_000])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_distinct_values_ascend_and_come_once(size: int, dtype: type[np.int64]) -> None:
    values = np.random.default_rng(size).integers(-40, 1_000, size).astype(dtype)
    found = distinct(values)
    assert found.tolist() == sorted(set(values.tolist()))
    assert found.dtype == dtype


def test_among_finds_what_is_there() -> None:
    ascending = np.array([2, 5, 5, 9])
    assert among(np.array([[1, 2], [5, 10]]), ascending).tolist() == [[False, True], [True, False]]
    assert among(np.array([9, 3]), ascending[:0]).tolist() == [False, False]
