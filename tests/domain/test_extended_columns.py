"""Columns of extended groups: who holds how much of each unit."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.group.extended_columns import Stakes


def test_who_holds_most_of_each_unit() -> None:
    stakes = Stakes(
        np.array([0, 0, 2, 2, 2]),
        np.array([3, 1, 2, 0, 1], dtype=np.int32),
        np.array([1, 1, 1, 2, 1]),
    )
    holder, number = stakes.largest(4)
    assert holder.tolist() == [1, NOBODY, 0, NOBODY]
    assert number.tolist() == [1, 0, 2, 0]
    holder, number = stakes.where(stakes.member > 0).largest(4)
    assert holder.tolist() == [1, NOBODY, 1, NOBODY]
    assert number.tolist() == [1, 0, 1, 0]
