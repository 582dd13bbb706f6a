"""Partitions that have to go somewhere, each to the member with the least load so far.

Where any counts will do, the fewest moves leave open who takes what nobody keeps.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import loads_of, member_counts, stakes_held


def to_least_loaded(group: Group, constraint: CountConstraint, assigned: Index) -> Index:
    """[P] the assignment with all partitions that are with no owner of theirs dealt anew: heaviest
    first, loads compared per unit of capacity. The same assignment if room gets in the way.

    O(log M + member classes) for each.
    """
    kept = stakes_held(group, np.arange(group.n_partitions), assigned) > 0
    loose = np.flatnonzero(constraint.free & ~kept)
    loose = loose[np.argsort(-group.lag[loose], kind="stable")]
    found = assigned.copy()
    found[loose] = NOBODY
    loads = loads_of(group, found)
    load, rate = loads.column.tolist(), loads.capacities.rate
    counts = member_counts(found, group.n_members)
    left = (constraint.counts_of().most - counts).tolist()
    takers: list[list[tuple[float, int, int]]] = [[] for _ in group.class_topics]
    for member, member_class in enumerate(group.class_of.tolist()):
        if left[member] > 0:
            takers[member_class].append((load[member], int(counts[member]), member))
    for heap in takers:
        heapify(heap)
    classes = [np.flatnonzero(row).tolist() for row in constraint.face]
    class_of, weight, times = group.partition_class.tolist(), group.lag.tolist(), rate.tolist()
    for partition in loose.tolist():
        heaps = [takers[k] for k in classes[class_of[partition]] if takers[k]]
        if not heaps:
            return assigned
        heap = min(heaps, key=lambda heap: heap[0])
        total, count, member = heap[0]
        found[partition] = member
        left[member] -= 1
        if left[member]:
            more = weight[partition] * times[member]
            heapreplace(heap, (total + more, count + 1, member))
        else:
            heappop(heap)
    return found if constraint.admits(found) else assigned
