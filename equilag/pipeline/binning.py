"""Distribute groups to bins of about equal cost: longest processing time first (Graham 1969)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Final

SECONDS_PER_GROUP: Final = 0.02
"""Fixed cost of a group, measured on fleets."""
SECONDS_PER_PARTITION: Final = 6e-5
"""Cost of loading, comparing and writing a partition, measured on fleets."""
EFFORT_PER_PARTITION: Final = 2e-3
"""Effort in seconds that a group uses per partition, up to its limit; measured on fleets."""


def bins_of(costs: Sequence[float], n_bins: int) -> list[int]:
    """Return the bin number of each group; the fullest bin costs at most 4/3 of the optimum.

    `costs` are 0 or more, in any unit. Groups are placed in descending order of cost, each into the
    bin with the lowest total. Ties are broken by position, so the same input gives the same bins.
    """
    order = sorted(range(len(costs)), key=lambda i: (-costs[i], i))
    heap = [(0.0, number) for number in range(max(1, n_bins))]
    chosen = [0] * len(costs)
    for i in order:
        total, number = heap[0]
        chosen[i] = number
        heapq.heapreplace(heap, (total + costs[i], number))
    return chosen


def estimated_seconds(partitions: int, effort: float) -> float:
    """Estimate the seconds that a group takes on one core. Only the proportions matter."""
    solving = min(effort, EFFORT_PER_PARTITION * partitions)
    return SECONDS_PER_GROUP + SECONDS_PER_PARTITION * partitions + solving
