"""Groups into bins of about equal work: longest processing time first (Graham 1969)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Final

FIXED: Final = 0.02
PER_PARTITION: Final = 6e-5
FULL_EFFORT: Final = 2e-3
"""Seconds: what every group costs; what loading, comparing and writing a partition costs; and how
fast the effort that a group uses up grows with its partitions. From measured fleets."""


def bins_of(work: Sequence[float], n_bins: int) -> list[int]:
    """[groups] the bin of each, so that the fullest bin is as good as 4/3 of the best.

    Work in any unit, 0 or more. The largest go first, each to the bin with the least in it; ties
    go by position, so that the same input gives the same bins.
    """
    order = sorted(range(len(work)), key=lambda i: (-work[i], i))
    heap = [(0.0, number) for number in range(max(1, n_bins))]
    chosen = [0] * len(work)
    for i in order:
        filled, number = heap[0]
        chosen[i] = number
        heapq.heapreplace(heap, (filled + work[i], number))
    return chosen


def work_of(partitions: int, effort: float) -> float:
    """Seconds that a group will take on one core, roughly: only the proportions matter."""
    return FIXED + PER_PARTITION * partitions + min(effort, FULL_EFFORT * partitions)
