"""What can be switched off, and the simple rules that the whole search is held against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

import numpy as np

from equilag.domain.columns import Floats, Index
from equilag.domain.group.group import NOBODY, Group
from equilag.planner.solving.run import EARLY_PROOF, POINTS, PROVING, REMAINING, SEARCHING

STAGES: Final = tuple(
    sorted(
        {
            type(stage)
            for phase in (*SEARCHING, *PROVING, *REMAINING, *POINTS, EARLY_PROOF)
            for stage in phase.stages
        },
        key=lambda stage: stage.__name__,
    )
)
"""The improving stages of the planner; every one can be left out."""


@contextmanager
def without(stage: type | None) -> Iterator[None]:
    """Leave a stage out of all runs meanwhile; None leaves nothing out."""
    if stage is None:
        yield
        return
    with patch.object(stage, "applies", lambda *_: False):
        yield


def longest_first(group: Group) -> Index:
    """[P] the heaviest partition first, to the member that it leaves with the least load.

    For groups whose members all read everything, with free counts (Graham 1969).
    """
    speed = speeds(group)
    load = np.zeros(group.n_members)
    assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
    for p in np.argsort(-group.lag, kind="stable").tolist():
        m = int(((load + group.lag[p]) / speed).argmin())
        load[m] += group.lag[p]
        assigned[p] = m
    return assigned


def heaviest_gives(group: Group, max_moves: int) -> Index:
    """[P] the heaviest member gives the lightest one the partition that evens out both best, until
    no move is left or none helps. For the same groups, with an owner for every partition."""
    speed, assigned = speeds(group), group.owner.copy()
    load = np.bincount(assigned, group.lag, group.n_members)
    for _ in range(max_moves):
        giver, taker = int((load / speed).argmax()), int((load / speed).argmin())
        mine = np.flatnonzero((assigned == giver) & (group.owner == giver))
        lag = group.lag[mine]
        face = np.maximum((load[giver] - lag) / speed[giver], (load[taker] + lag) / speed[taker])
        if not len(mine) or face.min() >= load[giver] / speed[giver]:
            break
        p = int(mine[face.argmin()])
        load[giver] -= group.lag[p]
        load[taker] += group.lag[p]
        assigned[p] = taker
    return assigned


def speeds(group: Group) -> Floats:
    """[M] capacities; 1 where none is known."""
    return np.array([member.capacity or 1.0 for member in group.members])
