"""Subsets of places, their sums, and those with a given sum: compared with plain enumeration."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from equilag.solver.local_search.subset_sums import (
    MAX_LISTED,
    SubsetPlaces,
    subset_sums,
    subsets_with_sum,
)


@pytest.mark.parametrize(("width", "size"), [(1, 1), (5, 0), (5, 2), (6, 6), (9, 4)])
def test_every_subset_is_listed_once(width: int, size: int) -> None:
    found = SubsetPlaces().all_of(width, size)
    assert found.shape == (comb(width, size), size)
    assert {tuple(row) for row in found.tolist()} == set(combinations(range(width), size))


def test_a_sample_where_there_are_too_many() -> None:
    listed, rng = SubsetPlaces(), np.random.default_rng(1)
    assert comb(60, 5) > MAX_LISTED
    found = listed.drawn(60, 5, 1_000, rng)
    assert 700 < len(found) <= 1_000
    assert (np.diff(found, axis=1) > 0).all()
    assert found.min() >= 0
    assert found.max() < 60
    assert len(listed.drawn(6, 3, 1_000, rng)) == 20


def test_sums_of_several_rows() -> None:
    values = np.array([[1, 10, 100], [2, 20, 2**60]])
    places = SubsetPlaces().all_of(3, 2)
    assert subset_sums(values, places).tolist() == [[11, 101, 110], [22, 2**60 + 2, 2**60 + 20]]
    assert subset_sums(values[0], SubsetPlaces().all_of(3, 0)).tolist() == [0]


@pytest.mark.parametrize("seed", range(20))
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
