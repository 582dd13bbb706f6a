"""Columns of integers."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.columns import FEW, distinct


@pytest.mark.parametrize("size", [0, 1, 30, FEW, FEW + 1, 5_000])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_distinct_values_ascend_and_come_once(size: int, dtype: type[np.int64]) -> None:
    values = np.random.default_rng(size).integers(-40, 1_000, size).astype(dtype)
    found = distinct(values)
    assert found.tolist() == sorted(set(values.tolist()))
    assert found.dtype == dtype
