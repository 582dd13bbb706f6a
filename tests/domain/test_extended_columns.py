"""Columns of extended groups: the factors that make loads of different members comparable."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import NOBODY
from equilag.domain.group.extended_columns import MAX_SCALED, Stakes, load_factors


def test_factors_are_exact_where_a_common_multiple_fits() -> None:
    factors, scale = load_factors(np.array([1, 2, 3, 4, 3]), 10**12)
    assert scale == 12
    assert factors.tolist() == [12, 6, 4, 3, 4]


def test_equal_capacities_have_factors_of_one() -> None:
    for capacity in ([1, 1], [7, 7, 7], [5], []):
        factors, scale = load_factors(np.array(capacity, dtype=np.int64), 2**61)
        assert factors.tolist() == [1] * len(capacity)
        assert scale == (capacity[0] if capacity else 1)


def test_factors_are_rounded_where_the_common_multiple_is_too_large() -> None:
    rng = np.random.default_rng(1)
    for total in (1, 10**6, 10**12, 2**50):
        capacity = rng.integers(1, 1_000, 200)
        factors, scale = load_factors(capacity, total)
        assert scale * total <= MAX_SCALED
        error = np.abs(factors.astype(object) * capacity - scale)
        assert (2 * error <= capacity).all()


def test_no_scaled_load_passes_what_fits_and_no_factor_is_zero() -> None:
    for total in (0, 2**52, 2**58, 2**61, 2**62 - 1):
        factors, _ = load_factors(np.array([1, 997, 991, 983, 977, 971]), total)
        assert factors.min() >= 1
        assert max(total, 1) * int(factors.max()) <= max(total, MAX_SCALED)


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
