"""The points of a front with what they gain, and the plan of a report beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from equilag.domain.group.group import Group
from equilag.domain.group.weight import weighed_policy
from equilag.domain.plan.claim import Evidence
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import DEFAULT_TOLERANCE
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.planner.facts.group import GainScale, GroupFacts, group_facts
from equilag.planner.facts.plan import is_per_capacity
from equilag.planner.frontier import Point


@dataclass(frozen=True, slots=True)
class PointFacts:
    """A point, and what it gains."""

    point: Point
    percent_of_mean: float
    """The spread in percent of the mean load per member."""
    gain_percent: float
    """Part of the excess saved, of what is not proved to be impossible to save."""
    is_plan: bool = False
    """True for the plan of the report."""
    better: Point | None = None
    """The point of the other run that beats the plan."""

    @property
    def is_proved(self) -> bool:
        return self.point.spread_lower_bound == self.point.spread


@dataclass(frozen=True, slots=True)
class FrontFacts:
    """All trade-offs of a group between moves and spread."""

    points: tuple[PointFacts, ...]
    """Moves ascending, spread descending."""
    group: GroupFacts
    per_capacity: bool
    """True if loads are per unit of capacity, since capacities differ."""
    policy: Policy
    """What the front was asked for with."""
    interrupted: bool = False
    """True if the run was told to end before it was done."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the run beside the policy's: seed, and effort where it was limited."""

    @property
    def evidence(self) -> Evidence | None:
        """What proves all points together; None unless each of them is proved."""
        found = {one.point.evidence for one in self.points}
        if not found or None in found:
            return None
        return "solver" if "solver" in found else "checked"

    @property
    def unproved(self) -> int:
        """Points whose spread may not be the smallest."""
        return sum(not one.is_proved for one in self.points)


def front_facts(
    group: Group,
    points: Sequence[Point],
    policy: Policy,
    *,
    interrupted: bool = False,
    run: Mapping[str, Any] | None = None,
) -> FrontFacts:
    """The facts of a front; `run` are the settings of the run beside the policy's."""
    shaped = shape_group(group, policy)
    reduction = reduce_group(shaped, policy)
    figures = group_facts(Plan.of_owners(shaped, policy, reduction))
    in_force = weighed_policy(policy, group)
    rows = tuple(_facts(point, points[0], figures) for point in points)
    per_capacity = reduction.group.extended.load_divisor is not None
    return FrontFacts(rows, figures, per_capacity, in_force, interrupted, run or {})


def _facts(point: Point, first: Point, group: GroupFacts) -> PointFacts:
    gain = GainScale.of(group, first.excess, first.excess_lower_bound)
    mean = group.mean_lag
    of_mean = 100 * point.spread / mean if mean else 0.0
    return PointFacts(point, of_mean, gain.percent(point.excess))


def front_with_plan(front: FrontFacts, plan: Plan) -> FrontFacts:
    """The front with the plan of the report as one of its points, without those that it beats.

    The front is of another run than the plan, and may have found a smaller spread.
    """
    cost, spread = plan.moves_cost, plan.loads.spread
    points = [replace(one, point=_marked(one, front.points)) for one in front.points]
    same = [(one.point.cost, one.point.spread) == (cost, spread) for one in points]
    if any(same):
        marked = zip(points, same, strict=True)
        return replace(front, points=tuple(replace(one, is_plan=own) for one, own in marked))
    if not points or is_per_capacity(plan) != front.per_capacity:
        return replace(front, points=tuple(points))
    rest = [one for one in points if one.point.cost < cost or one.point.spread < spread]
    bounds = [one.point.spread_lower_bound for one in points if one.point.cost >= cost]
    least = max(bounds, default=plan.loads.spread_lower_bound)
    better = [one.point for one in points if one.point.cost <= cost and one.point.spread < spread]
    own_point = Point(
        len(plan.moves), spread, least, plan.loads.excess, move_weight=plan.moves_weight,
        short=None if plan.throughput is None else plan.throughput.short,
    )  # fmt: skip
    added = _facts(own_point, front.points[0].point, front.group)
    added = replace(added, is_plan=True, better=better[-1] if better else None)
    rows = sorted([*rest, added], key=lambda one: (one.point.cost, one.better is not None))
    return replace(front, points=tuple(rows))


def _marked(one: PointFacts, points: Sequence[PointFacts]) -> Point:
    """The point without the mark ``plan``, which is of its own run; without a knee where spreads
    differ by less than the default tolerance."""
    same = points[0].percent_of_mean - points[-1].percent_of_mean < DEFAULT_TOLERANCE
    marks = tuple(m for m in one.point.marks if m != "plan" and not (m == "knee" and same))
    return replace(one.point, marks=marks)
