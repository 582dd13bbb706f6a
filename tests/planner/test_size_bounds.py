"""Bounds, closed forms and small loads of alike members, against every assignment of tiny lists."""

from __future__ import annotations

import numpy as np
import pytest
from support.oracle_optima import least_heaviest

from equilag.planner.sizes.size_bounds import (
    AlikeLoads,
    deal_heavy_first,
    relieve_heaviest,
)

LISTS = 60
"""Random lists of each kind of balance: some 0.5 s."""


def some_weights(rng: np.random.Generator) -> list[int]:
    """Up to six weights: small, alike, wide, or with one that dominates."""
    top = int(rng.choice([2, 9, 1000]))
    weights = rng.integers(0, top, int(rng.integers(1, 7))).tolist()
    if rng.random() < 0.3:
        weights[0] = 10 * top
    return [int(weight) for weight in weights]


@pytest.mark.parametrize("even_counts", [True, False])
def test_bounds_hold_and_closed_forms_are_exact(even_counts: bool) -> None:
    rng = np.random.default_rng(5)
    tight = looked_at = 0
    for _ in range(LISTS):
        weights = some_weights(rng)
        loads = AlikeLoads(np.array(weights), even_counts)
        before = np.inf
        for members in range(1, 6):
            best = least_heaviest(weights, [1] * members, even_counts)
            assert loads.at_least(members) <= best
            assert loads.exact(members) in (None, best)
            assert best <= before  # more members never need a heavier one
            before = best
            looked_at += 1
            tight += loads.at_least(members) == best
    assert tight > 0.9 * looked_at


def test_no_partitions_weigh_nothing() -> None:
    loads = AlikeLoads(np.zeros(0, np.int64), True)
    assert loads.at_least(3) == 0
    assert loads.heaviest == 0
    assert loads.exact(3) == 0


def test_pairs_are_folded() -> None:
    loads = AlikeLoads(np.array([9, 5, 4, 3, 2, 1]), True)
    assert loads.exact(4) == 9  # 9 and 5 alone, 4 + 1, 3 + 2
    assert loads.exact(3) == 10  # 9 + 1, 5 + 2, 4 + 3
    assert loads.exact(2) is None
    assert loads.exact(1) == 24


def test_longer_shares_weigh_at_least_the_lightest_partitions() -> None:
    loads = AlikeLoads(np.array([7, 7, 7, 6, 6, 6, 6]), True)
    assert loads.at_least(3) == 18  # one member has three of them


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
