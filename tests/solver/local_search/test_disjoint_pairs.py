"""Disjoint pairs: the same as taking the pairs one by one."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.solver.local_search.assignment_state import disjoint_pairs


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_taken_best_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_members = int(rng.integers(2, 12))
    one, other = (rng.integers(n_members, size=int(seed)) for _ in range(2))
    used: set[int] = set()
    expected = []
    for number, pair in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        if used.isdisjoint(pair):
            expected.append(number)
            used.update(pair)
    assert sorted(disjoint_pairs(one, other, n_members).tolist()) == expected
