"""Subsets of places, their sums, and those with a given sum: compared with plain enumeration."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from equilag.solver.exchange.exact_transfers import (
    MAX_LISTED,
    SubsetPlaces,
    subsets_with_sum,
)


def test_a_sample_where_there_are_too_many() -> None:
    listed, rng = SubsetPlaces(), np.random.default_rng(1)
    assert comb(60, 5) > MAX_LISTED
    found = listed.drawn(60, 5, 1_000, rng)
    assert 700 < len(found) <= 1_000
    assert (np.diff(found, axis=1) > 0).all()
    assert found.min() >= 0
    assert found.max() < 60
    assert len(listed.drawn(6, 3, 1_000, rng)) == 20


@pytest.mark.parametrize("seed", range(6))
def test_a_subset_of_each_sum_that_exists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 30, rng.integers(2, 10))
    size = int(rng.integers(1, len(values) + 1))
    sums = {sum(subset) for subset in combinations(values.tolist(), size)}
    for total in range(-1, max(sums) + 2):
        found = [
            chosen.tolist()
            for chosen in subsets_with_sum(
                values, size, (total, total), SubsetPlaces(), rng, share=0.0
            )
        ]
        assert bool(found) == (total in sums)
        assert len({frozenset(chosen) for chosen in found}) == len(found)
        for chosen in found:
            assert len(set(chosen)) == size
            assert values[chosen].sum() == total
