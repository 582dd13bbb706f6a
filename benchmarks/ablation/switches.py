"""What can be switched off, and the simple rules that the whole search is held against."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from equilag.domain.columns import Floats, Index
from equilag.domain.group.group import NOBODY, Group
from equilag.planner.sizes import size_probe
from equilag.planner.solving import run
from equilag.planner.solving.run import EARLY_PROOF, POINTS, PROVING, REMAINING, SEARCHING, Phase

STAGES: Final = tuple(
    sorted(
        {
            stage.name
            for phase in (*SEARCHING, *PROVING, *REMAINING, *POINTS, EARLY_PROOF)
            for stage in phase.stages
        }
    )
)
"""The names of the planner's improving stages; every one can be left out."""


@contextmanager
def without(name: str | None) -> Iterator[None]:
    """Leave the stages of a name out of all runs meanwhile; None leaves nothing out."""
    phases_for = run.phases_for

    def fewer(*given: Any) -> list[Phase]:
        return [
            phase._replace(stages=tuple(one for one in phase.stages if one.name != name))
            for phase in phases_for(*given)
        ]

    with patch.object(run, "phases_for", fewer), patch.object(size_probe, "phases_for", fewer):
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
