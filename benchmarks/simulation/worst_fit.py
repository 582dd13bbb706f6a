"""How many consumers Landau and others run (arXiv 2402.06085): modified worst fit."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index


def modified_worst_fit(rate: Floats, owner: Index, capacity: float) -> Index:
    """[P] the consumer of each partition, numbered from 0; `owner` is the present one.

    The consumers that read most come first. The partitions of one go to bins that are open already,
    the smallest first, as long as they fit; what is left stays, the largest first, in a bin of its
    own; what does not fit goes last, the largest first, and opens new bins. A partition goes to the
    bin with the most room.
    """
    loads, placed = list[float](), np.full(len(rate), NOBODY, np.int32)

    def put(partition: int) -> bool:
        at = int(np.argmin(loads)) if loads else NOBODY
        if at == NOBODY or loads[at] + rate[partition] > capacity:
            return False
        loads[at] += float(rate[partition])
        placed[partition] = at
        return True

    present = np.unique(owner[owner != NOBODY])
    for consumer in sorted(present.tolist(), key=lambda one: -rate[owner == one].sum()):
        held = np.flatnonzero(owner == consumer)
        left: list[int] = held[np.argsort(rate[held], kind="stable")].tolist()
        while left and put(left[0]):
            left.pop(0)
        if left:
            at, load = len(loads), 0.0
            for partition in reversed(left):
                if load == 0.0 or load + rate[partition] <= capacity:
                    load += float(rate[partition])
                    placed[partition] = at
            loads.append(load)
    rest = np.flatnonzero(placed == NOBODY)
    for partition in rest[np.argsort(-rate[rest], kind="stable")].tolist():
        if not put(partition):
            placed[partition] = len(loads)
            loads.append(float(rate[partition]))
    return placed
