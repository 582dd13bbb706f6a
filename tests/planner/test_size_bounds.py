"""Bounds and closed forms of alike members, against every assignment of tiny lists."""

from __future__ import annotations

import numpy as np
import pytest
from support.size_oracle import least_heaviest

from equilag.planner.sizes.size_bounds import AlikeLoads, LoadInterval

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


def test_an_interval_is_proved_where_its_ends_meet() -> None:
    assert LoadInterval(3, 3).proved
    assert not LoadInterval(2, 3).proved
