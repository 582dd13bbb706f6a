"""The loads that members should come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from equilag.domain.columns import distinct
from equilag.domain.group.group import NOBODY, Flags, Ints
from equilag.domain.group.loads import LoadColumn
from equilag.solver.local_search.assignment_state import AssignmentState


class Window(NamedTuple):
    """The loads that the proved bounds leave, both ends included, and where a search ends."""

    low: Any = 2**62
    """The upper bound of the lightest load; an integer where loads are, as `high`."""
    high: Any = 0
    """The lower bound of the heaviest one, but not below `low`."""
    enough: float = 0
    """A spread at which the search ends."""
    most_moves: float | None = None
    """No plan moves more than this; None where moves do not count."""

    def outside(self, load: LoadColumn) -> LoadColumn:
        """Distance of each load from the window; 0 inside."""
        found: LoadColumn = np.maximum(np.maximum(self.low - load, load - self.high), 0)
        return found


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
        mean = _means(state, part)
        busy = distinct(part[~group.idle])
        fair = state.mean
        aim = mean[part]
        low = np.full(group.n_members, int(mean[busy].min()))
        return LoadTargets(aim, np.maximum(aim, fair), low, part, ~group.idle)

    def beyond(self, loads: LoadColumn) -> LoadColumn:
        """[M] how far each load lies outside the window from `low` to `high`; −1 for idle ones."""
        return np.where(self.active, np.maximum(loads - self.high, self.low - loads), -1)


def _means(state: AssignmentState, part: Ints) -> Ints:
    """[parts] the level that each part comes to: its k heaviest partitions go to its k members of
    the largest capacities; the least of what that leaves to the others, over all k."""
    lag, factor, n_parts = state.group.lag, state.factor, int(part.max()) + 1
    rate = np.ones(len(part)) if factor is None else 1.0 / factor
    members = state.active[np.lexsort((-rate[state.active], part[state.active]))]
    held = np.flatnonzero(state.assigned != NOBODY)
    held = held[np.lexsort((-lag[held], part[state.assigned[held]]))]
    edges = np.arange(n_parts + 1)
    first = np.searchsorted(part[members], edges)
    start = np.searchsorted(part[state.assigned[held]], edges)
    mean = np.zeros(n_parts, np.int64)
    for number in distinct(part[members]).tolist():
        mine = lag[held[start[number] : start[number + 1]]]
        share = rate[members[first[number] : first[number + 1]]]
        most = min(len(mine) + 1, len(share))
        left = mine.sum() - np.append(0, np.cumsum(mine[: most - 1]))
        others = share.sum() - np.append(0, np.cumsum(share[: most - 1]))
        mean[number] = int((left / others).min())
    return mean
