"""The least heaviest load of tiny groups, by trying every assignment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import median

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


@cache
def all_assignments(partitions: int, members: int) -> Rows:
    """[members ^ partitions, partitions] every choice of a member for each partition."""
    rows = np.indices((members,) * partitions, dtype=np.int64)
    return rows.reshape(partitions, -1).T


def least_heaviest(
    weights: Sequence[int], capacities: Sequence[float], even_counts: bool = True
) -> float:
    """The heaviest load per capacity under the best assignment; with even counts, among those of
    the least sum of count² / capacity."""
    rows = all_assignments(len(weights), len(capacities))
    held = rows[:, :, None] == np.arange(len(capacities))
    loads = (held * np.array(weights)[None, :, None]).sum(axis=1) / np.array(capacities)
    heaviest = loads.max(axis=1)
    if even_counts:
        cost = (held.sum(axis=1) ** 2 / np.array(capacities)).sum(axis=1)
        heaviest = heaviest[cost <= cost.min() + 1e-9]
    return float(heaviest.min())


def members_of_size(capacities: Sequence[float], size: int) -> list[float]:
    """The capacities of a group of this size: the slowest stay, new ones have the median."""
    return [*sorted(capacities), *[median(capacities)] * size][:size]
