"""The load that each member should come to, where single partitions are heavier than the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.group.group import NOBODY, Flags, Group, Ints
from equilag.domain.group.loads import LoadColumn
from equilag.solver.local_search.assignment_state import AssignmentState

MAX_PASSES: Final = 40
"""Passes that set partitions apart. Each lowers the mean, and three or four settle most groups."""


@dataclass(frozen=True, eq=False, slots=True)
class LoadTargets:
    """Loads that members should come to, each [M]."""

    aim: Ints
    """The mean load of the member's part of the group, without what is heavier than that mean."""
    high: Ints
    """A member above it adds to the excess above a fair share, or to the spread."""
    low: Ints
    """A member below it adds to the spread."""
    part: Ints
    """The part of the group that the member belongs to: partitions pass only inside a part."""
    active: Flags
    """True for the members that are not idle."""

    @staticmethod
    def of(state: AssignmentState) -> LoadTargets:
        """Of a group with at least one member that is not idle. O(P)."""
        group = state.group
        part = state.constraint.parts[group.class_of]
        mean = _means(state, part) if state.factor is None else _means_by_capacity(state, part)
        busy = distinct(part[~group.idle])
        fair = state.mean
        aim = mean[part]
        low = np.full(group.n_members, int(mean[busy].min()))
        return LoadTargets(aim, np.maximum(aim, fair), low, part, ~group.idle)

    def beyond(self, loads: LoadColumn) -> LoadColumn:
        """[M] how far each load lies outside the window from `low` to `high`; −1 for idle ones."""
        return np.where(self.active, np.maximum(loads - self.high, self.low - loads), -1)


def _means(state: AssignmentState, part: Ints) -> Ints:
    """[parts] the mean load without the partitions above it, and the members that hold those."""
    group: Group = state.group
    n_parts = int(part.max()) + 1
    size = np.bincount(part[state.active], minlength=n_parts)
    total = np.zeros(n_parts, np.int64)
    np.add.at(total, part, state.loads)
    held = np.flatnonzero(state.assigned != NOBODY)
    whose, lag = part[state.assigned[held]], group.lag[held]
    mean = total // np.maximum(size, 1)
    for _ in range(MAX_PASSES):
        apart = lag > mean[whose]
        number = np.bincount(whose[apart], minlength=n_parts)
        left = total.copy()
        np.subtract.at(left, whose[apart], lag[apart])
        fewer = np.where(number < size, left // np.maximum(size - number, 1), mean)
        if not (fewer < mean).any():
            break
        mean = np.minimum(mean, fewer)
    return mean


def _means_by_capacity(state: AssignmentState, part: Ints) -> Ints:
    """[parts] the same where capacities differ: the k heaviest partitions of a part go to the k
    members of the largest capacities; the level is the least of what that leaves to the others,
    over all k."""
    group, factor = state.group, state.factor
    assert factor is not None
    n_parts = int(part.max()) + 1
    mean = np.zeros(n_parts, np.int64)
    held = np.flatnonzero(state.assigned != NOBODY)
    whose = part[state.assigned[held]]
    for number in distinct(part[state.active]).tolist():
        lag = np.sort(group.lag[held[whose == number]])[::-1]
        rate = np.sort(1.0 / factor[state.active[part[state.active] == number]])[::-1]
        most = min(len(lag) + 1, len(rate))
        left = np.append(lag.sum(), lag.sum() - np.cumsum(lag[: most - 1]))
        share = rate.sum() - np.append(0.0, np.cumsum(rate[: most - 1]))
        mean[number] = int((left / share).min())
    return mean


@dataclass(frozen=True, slots=True)
class ImprovementGoal:
    """The goal of one run of a local search on the lag spread."""

    enough: float = 0
    """A spread at which the search ends."""
    most_moves: float | None = None
    """No plan moves more than this; None where moves do not count."""
    low: float = 2**62
    """No plan has a larger lightest load: a member there needs no other partitions."""
    high: float = 0
    """No plan has a smaller heaviest load."""
