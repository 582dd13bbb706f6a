"""Heavy partitions first, and exchanges that relieve the heaviest member."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.planner.sizes.size_bounds import deal_heavy_first, relieve_heaviest

ONE = np.ones(3, np.int64)


def heaviest(weights: list[int], assigned: np.ndarray, factor: np.ndarray) -> int:
    loads = np.bincount(assigned, weights, len(factor))
    return int((loads * factor).max())


def test_heavy_first_keeps_the_counts() -> None:
    weights = np.array([9, 8, 7, 3, 2, 1, 1])
    counts = np.array([3, 2, 2])
    dealt = deal_heavy_first(weights, counts, ONE)
    assert np.bincount(dealt).tolist() == [3, 2, 2]
    assert heaviest(weights.tolist(), dealt, ONE) == 11


def test_the_fastest_member_gets_the_heaviest_partition() -> None:
    weights = np.array([10, 40, 10])
    factor = np.array([4, 1, 2])  # the second one is the fastest
    dealt = deal_heavy_first(weights, np.array([1, 1, 1]), factor)
    assert dealt.tolist() == [2, 1, 0]
    without = deal_heavy_first(np.array([5, 5]), np.array([0, 2, 0]), factor)
    assert without.tolist() == [1, 1]


@pytest.mark.parametrize("free", [False, True])
def test_exchanges_lower_the_heaviest_load(free: bool) -> None:
    rng = np.random.default_rng(2)
    for _ in range(8):
        weights = rng.integers(1, 100, 14)
        factor = rng.integers(1, 4, 3)
        start = rng.integers(0, 3, 14).astype(np.int32)
        found = relieve_heaviest(weights, start, factor, free, lambda: False)
        before = heaviest(weights.tolist(), start, factor)
        assert heaviest(weights.tolist(), found, factor) <= before
        if not free:
            counts = [np.bincount(a, minlength=3).tolist() for a in (start, found)]
            assert counts[0] == counts[1]


def test_a_stop_leaves_the_start() -> None:
    start = np.array([0, 0, 1], np.int32)
    found = relieve_heaviest(np.array([5, 5, 1]), start, ONE[:2], True, lambda: True)
    assert found.tolist() == start.tolist()


def test_nobody_to_exchange_with() -> None:
    start = np.array([0, 0], np.int32)
    found = relieve_heaviest(np.array([5, 5]), start, ONE[:1], True, lambda: False)
    assert found.tolist() == [0, 0]
