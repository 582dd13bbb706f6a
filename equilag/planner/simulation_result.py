"""What `simulate` returns: how lag develops under the current assignment and under a plan's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index
from equilag.domain.document import Shown
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.planner.simulation.fluid import (
    Conditions,
    FluidState,
    MemberLags,
    Schedule,
    members_read_at,
    states_at,
    total_lags,
)
from equilag.planner.simulation.rebalance_price import Pace, Weighed


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


SIMULATION_FORMAT: Final = "equilag/simulation/1"
DIGITS: Final = 3
"""Decimals of lags, rates and seconds in JSON: milliseconds."""


class Assumed(NamedTuple):
    """What stands in for figures that the group does not know."""

    unknown_rates: int
    """Partitions of which no rate is known; the mean rate of their topic, or of all, is taken."""
    unknown_capacities: int
    """Members of which no capacity is known."""
    usual_capacity: float | None
    """Records per second that are taken for them: the median of the known ones; None if all are
    known."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Simulation(Shown):
    """Lag over time under the current assignment and under a plan's."""

    group: Group
    """With the capacities that were given."""
    plan: Plan | None
    """The plan that was made; None for an assignment that was given."""
    conditions: Conditions
    """Rates and capacities, with the owners of the plan's assignment."""
    duration: float
    """Seconds that are looked at."""
    pace: Pace
    """How the group rebalances."""
    assumed: Assumed
    current: LagCourse
    planned: LagCourse
    """With the rebalance at time 0, if the assignments differ."""
    changes: int
    """Partitions that get another reader."""
    weighed: Weighed
    """Gain and price of the plan, as live groups have them, over this duration."""

    @property
    def produced(self) -> float:
        """Records per second that are produced to partitions that have a subscriber."""
        return float(self.conditions.rate[self.group.assignable].sum())

    @property
    def capacity(self) -> float:
        """Records per second that the members read at most, but for idle ones."""
        return float(self.conditions.capacity[~self.group.idle].sum())

    def to_dict(self) -> dict[str, Any]:
        """The simulation's JSON, format ``equilag/simulation/1``."""
        plan = self.plan
        document: dict[str, Any] = {
            "format": SIMULATION_FORMAT,
            "group": self.group.name,
            "settings": {
                "duration_s": self.duration,
                "pause_s": self.pace.pause_s,
                "protocol": self.pace.protocol,
                "policy": None if plan is None else plan.settings,
            },
            "evidence": None if plan is None else plan.evidence,
            "assumed": self.assumed._asdict(),
            **_rounded(
                {
                    "produced_per_s": self.produced,
                    "capacity_per_s": self.capacity,
                    "changes": self.changes,
                    "gain_record_s": self.weighed.gain,
                    "price_record_s": self.weighed.price,
                    "times_s": self.current.moments.times,
                    "curve_times_s": self.current.moments.curve,
                }
            ),
            "current": course_document(self.group, self.conditions, self.current),
            "plan": course_document(self.group, self.conditions, self.planned),
        }
        if plan is not None and plan.notes:
            document["notes"] = list(plan.notes)
        return document


def course_document(group: Group, conditions: Conditions, course: LagCourse) -> dict[str, Any]:
    """One assignment's part of the JSON."""
    rates = conditions._replace(owner=course.owner).member_rates()
    lag = course.by_member(group.n_members).T
    oldest = course.oldest_by_member(group.n_members).T
    members = {
        member.id: {
            "produced_per_s": rates[m],
            "capacity_per_s": conditions.capacity[m],
            "falls_behind_per_s": course.falls_behind[m],
            "caught_up_after_s": course.member_read_after[m],
            "lag": lag[m],
            "oldest_unread_s": oldest[m],
        }
        for m, member in enumerate(group.members)
    }
    ends = zip(group.topics, pairwise(group.topic_start.tolist()), strict=True)
    partitions = {
        topic: {"lag": course.lag[:, a:b].T, "oldest_unread_s": course.age[:, a:b].T}
        for topic, (a, b) in ends
    }
    highest, at = course.peak
    found: dict[str, Any] = _rounded(
        {
            "caught_up_after_s": course.read_after,
            "falls_behind_per_s": course.falls_behind.sum(),
            "highest_lag": {"lag": highest, "after_s": at},
            "lag": course.total,
            "oldest_unread_s": course.oldest,
            "curve": course.curve,
            "members": members,
            "partitions": partitions,
        }
    )
    return found


def _rounded(value: Any) -> Any:
    """Figures as JSON has them, with `DIGITS` decimals; null for what never is."""
    if isinstance(value, Mapping):
        return {name: _rounded(own) for name, own in value.items()}
    if isinstance(value, np.ndarray):
        return np.round(value, DIGITS).tolist()
    if not isinstance(value, float):
        return value
    return None if math.isinf(value) else round(float(value), DIGITS)
