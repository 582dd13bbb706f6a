"""How lag develops under one assignment: what a report says of it, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index
from equilag.planner.simulation.fluid_run import (
    MemberLags,
    Schedule,
    members_read_at,
    states_at,
    total_lags,
)
from equilag.planner.simulation.fluid_state import FluidState


class Moments(NamedTuple):
    """When to look; seconds, ascending."""

    times: Floats
    """[T] at which every partition is looked at."""
    curve: Floats
    """[N] at which the total is."""


@dataclass(frozen=True, slots=True, eq=False)
class LagCourse:
    """Lag over time of one assignment, from time 0 on. Shapes: M members, P partitions."""

    owner: Index
    """[P] who reads a partition in the end, or NOBODY."""
    moments: Moments
    lag: Floats
    """[T, P] records."""
    age: Floats
    """[T, P] seconds since the oldest unread record was produced."""
    curve: Floats
    """[N] the total lag."""
    member_read_after: Floats
    """[M + 1] seconds until each member has read all of its own, and stays so; inf for never. The
    last entry is what nobody reads."""
    falls_behind: Floats
    """[M + 1] records per second that each cannot read of what is produced, after the last change;
    the last entry is what nobody reads."""

    @property
    def total(self) -> Floats:
        """[T] the total lag."""
        total: Floats = self.lag.sum(axis=1)
        return total

    @property
    def oldest(self) -> Floats:
        """[T] the age of the oldest unread record of all."""
        oldest: Floats = self.age.max(axis=1, initial=0.0)
        return oldest

    @property
    def peak(self) -> tuple[float, float]:
        """The highest total lag until the last of the times, and when. Lag of a member without a
        change is a straight line down to 0, or up, so that a total is highest at a change or at an
        end: those are on the curve."""
        at = int(self.curve.argmax())
        return float(self.curve[at]), float(self.moments.curve[at])

    @property
    def read_after(self) -> float:
        """Seconds until all is read, and stays so; inf for never."""
        return float(self.member_read_after.max())

    def by_member(self, n_members: int) -> Floats:
        """[T, M + 1] the lag of each member's partitions; the last column is what nobody reads."""
        owner = np.where(self.owner == NOBODY, n_members, self.owner)
        return np.array([np.bincount(owner, lag, n_members + 1) for lag in self.lag])

    def oldest_by_member(self, n_members: int) -> Floats:
        """[T, M + 1] the age of each member's oldest unread record."""
        owner = np.where(self.owner == NOBODY, n_members, self.owner)
        oldest = np.zeros((len(self.age), n_members + 1))
        for row, age in zip(oldest, self.age, strict=True):
            np.maximum.at(row, owner, age)
        return oldest


def course_of(state: FluidState, schedule: Schedule, moments: Moments) -> LagCourse:
    """The course of the lag; O(P) for each of the times and changes, O(M) for each of the curve."""
    states = list(states_at(state, schedule, moments.times.tolist()))
    settled_at, conditions = schedule[-1]
    settled = next(states_at(state, schedule, (settled_at,)))
    return LagCourse(
        conditions.owner,
        moments,
        np.array([found.lag for found in states]),
        np.array([found.age() for found in states]),
        total_lags(state, schedule, moments.curve),
        members_read_at(state, schedule),
        np.maximum(MemberLags.of(settled, conditions).growth, 0.0),
    )
