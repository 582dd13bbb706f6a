"""Shortest distances in residual networks."""

from __future__ import annotations

import numpy as np
import pytest

from equilag.domain.constraint import NegativeCycles, shortest_distances


def distances(arcs: list[tuple[int, int, int]], n_nodes: int) -> list[int]:
    tail, head, cost = (np.array(column, dtype=np.int64) for column in zip(*arcs, strict=True))
    return shortest_distances(tail, head, cost, n_nodes).tolist()


def test_the_least_cost_from_anywhere() -> None:
    assert distances([(0, 1, -2), (1, 2, 1), (0, 2, -3), (2, 3, 5)], 4) == [0, -2, -3, 0]


def test_without_arcs_all_nodes_are_level() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert shortest_distances(nothing, nothing, nothing, 3).tolist() == [0, 0, 0]


def test_a_negative_cycle_is_told() -> None:
    with pytest.raises(NegativeCycles) as caught:
        distances([(0, 1, 1), (1, 2, -2), (2, 0, 0), (2, 3, 1)], 4)
    assert [sorted(cycle) for cycle in caught.value.cycles] == [[0, 1, 2]]
