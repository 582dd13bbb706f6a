"""Exchanges that relieve members to which more is produced than they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import NOBODY, Group, Index, Ints
from equilag.domain.group.shortage import Shortage
from equilag.domain.plan.metrics import count_moves

TRIED: Final = 64
"""Exchanges with the best sums that are tried in a step: most of them keep the constraint."""
HEAVIEST: Final = 200
"""Partitions of a member that are looked at, those with the largest rates."""


def relieved(
    group: Group,
    constraint: CountConstraint,
    shortage: Shortage,
    assigned: Index,
    max_moves: int | None,
    stop: Callable[[], bool],
) -> Index:
    """[P] the assignment after the best move or exchange of the most overloaded member that can be
    relieved, step by step, until none is or `stop` says so."""
    assigned = assigned.copy()
    while not stop():
        over = shortage.over(assigned)
        givers = np.flatnonzero(over)
        for giver in givers[np.argsort(-over[givers], kind="stable")].tolist():
            if _relieve(group, constraint, shortage, assigned, giver, max_moves):
                break
        else:
            break
    return assigned


def _relieve(
    group: Group,
    constraint: CountConstraint,
    shortage: Shortage,
    assigned: Index,
    giver: int,
    max_moves: int | None,
) -> bool:
    """Carry out the best exchange of a member, in `assigned`; False if none makes it better."""
    held, rate = shortage.held(assigned), shortage.rate
    mine = _heaviest(rate, np.flatnonzero((assigned == giver) & (rate > 0)))
    room = shortage.capacity - held
    takers = np.flatnonzero(room > 0)
    found: list[tuple[int, int, int, int]] = []
    for taker in takers.tolist():
        theirs = np.append(_heaviest(-rate, np.flatnonzero(assigned == taker)), NOBODY)
        back = np.where(theirs == NOBODY, 0, rate[theirs])
        given = rate[mine][:, None] - back[None, :]
        gain = np.minimum(given, -room[giver]) - np.maximum(given - room[taker], 0)
        best = np.argsort(-gain, axis=None, kind="stable")[:TRIED]
        for place in best[gain.ravel()[best] > 0].tolist():
            i, j = divmod(place, len(theirs))
            found.append((-int(gain[i, j]), int(mine[i]), int(theirs[j]), taker))
    for _, out, back_in, taker in sorted(found)[:TRIED]:
        trial = assigned.copy()
        trial[out] = taker
        if back_in != NOBODY:
            trial[back_in] = giver
        fits = max_moves is None or count_moves(group, trial) <= max_moves
        valid = bool(group.eligible[group.partition_class[out], group.class_of[taker]])
        if back_in != NOBODY:
            valid &= bool(group.eligible[group.partition_class[back_in], group.class_of[giver]])
        if fits and valid and constraint.admits(trial):
            assigned[:] = trial
            return True
    return False


def _heaviest(rate: Ints, partitions: Ints) -> Ints:
    return partitions[np.argsort(-rate[partitions], kind="stable")[:HEAVIEST]]
