"""What `simulate` returns: the current assignment and a plan's, side by side over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from equilag.domain.columns import Floats
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.planner.simulation.fluid_run import RebalanceProtocol
from equilag.planner.simulation.fluid_state import Conditions
from equilag.planner.simulation.lag_course import LagCourse

SIMULATION_FORMAT: Final = "equilag/planner/simulation/1"
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

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


class RebalanceSettings(NamedTuple):
    """How long a rebalance takes, and what stands still."""

    pause: float
    """Seconds."""
    protocol: RebalanceProtocol


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Lag over time under the current assignment and under a plan's."""

    group: Group
    """With the capacities that were given."""
    plan: Plan | None
    """The plan that was made; None for an assignment that was given."""
    conditions: Conditions
    """Rates and capacities, with the owners of the plan's assignment."""
    duration: float
    """Seconds that are looked at."""
    rebalance: RebalanceSettings
    assumed: Assumed
    current: LagCourse
    planned: LagCourse
    """With the rebalance at time 0, if the assignments differ."""
    changes: int
    """Partitions that get another reader."""

    @property
    def produced(self) -> float:
        """Records per second that are produced to partitions that have a subscriber."""
        return float(self.conditions.rate[self.group.assignable].sum())

    @property
    def capacity(self) -> float:
        """Records per second that the members read at most, but for idle ones."""
        return float(self.conditions.capacity[~self.group.idle].sum())

    def to_dict(self) -> dict[str, Any]:
        """The simulation's JSON, format ``equilag/planner/simulation/1``."""
        plan = self.plan
        document: dict[str, Any] = {
            "format": SIMULATION_FORMAT,
            "group": self.group.name,
            "settings": {
                "duration_s": self.duration,
                "pause_s": self.rebalance.pause,
                "protocol": self.rebalance.protocol,
                "policy": None if plan is None else plan.settings,
            },
            "evidence": None if plan is None else plan.evidence,
            "assumed": self.assumed.to_dict(),
            "produced_per_s": _rounded(self.produced),
            "capacity_per_s": _rounded(self.capacity),
            "changes": self.changes,
            "times_s": _numbers(self.current.moments.times),
            "curve_times_s": _numbers(self.current.moments.curve),
            "current": course_document(self.group, self.conditions, self.current),
            "plan": course_document(self.group, self.conditions, self.planned),
        }
        if plan is not None and plan.notes:
            document["notes"] = list(plan.notes)
        return document


def course_document(group: Group, conditions: Conditions, course: LagCourse) -> dict[str, Any]:
    """One assignment's part of the JSON."""
    highest, at = course.peak
    return {
        "caught_up_after_s": seconds_or_none(course.read_after),
        "falls_behind_per_s": _rounded(course.falls_behind.sum()),
        "highest_lag": {"lag": _rounded(highest), "after_s": _rounded(at)},
        "lag": _numbers(course.total),
        "oldest_unread_s": _numbers(course.oldest),
        "curve": _numbers(course.curve),
        "members": _members(group, conditions, course),
        "partitions": {
            topic: {
                "lag": _rows(course.lag[:, start:end].T),
                "oldest_unread_s": _rows(course.age[:, start:end].T),
            }
            for topic, start, end in zip(
                group.topics,
                group.topic_start[:-1].tolist(),
                group.topic_start[1:].tolist(),
                strict=True,
            )
        },
    }


def _members(
    group: Group, conditions: Conditions, course: LagCourse
) -> Mapping[str, dict[str, Any]]:
    """Member to its figures."""
    rates = conditions._replace(owner=course.owner).member_rates()
    columns = zip(
        (member.id for member in group.members),
        rates.tolist(),
        conditions.capacity.tolist(),
        course.falls_behind.tolist(),
        course.member_read_after.tolist(),
        _rows(course.by_member(group.n_members).T),
        _rows(course.oldest_by_member(group.n_members).T),
        strict=False,
    )
    return {
        name: {
            "produced_per_s": _rounded(rate),
            "capacity_per_s": _rounded(capacity),
            "falls_behind_per_s": _rounded(behind),
            "caught_up_after_s": seconds_or_none(after),
            "lag": lag,
            "oldest_unread_s": oldest,
        }
        for name, rate, capacity, behind, after, lag, oldest in columns
    }


def seconds_or_none(seconds: float) -> float | None:
    """None for never: JSON has no infinity."""
    return None if math.isinf(seconds) else _rounded(seconds)


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)


def _numbers(values: Floats) -> list[float]:
    found: list[float] = np.round(values, DIGITS).tolist()
    return found


def _rows(table: Floats) -> list[list[float]]:
    found: list[list[float]] = np.round(table, DIGITS).tolist()
    return found
