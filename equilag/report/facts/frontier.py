"""A frontier: all trade-offs between moves and lag spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from equilag.domain.group.group import Group
from equilag.domain.group.weight import weighed_policy
from equilag.domain.plan.claim import Evidence
from equilag.domain.plan.metrics import load_divisor
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group
from equilag.report.facts.facts_json import NOT_IN_JSON
from equilag.report.facts.group import GainScale, GroupFacts, group_facts
from equilag.report.wording.words import number, plural, short_percent

if TYPE_CHECKING:
    from equilag.planner.frontier import Point

FORMAT: Final = "equilag/frontier/1"


@dataclass(frozen=True, slots=True)
class PointFacts:
    moves: int
    spread: float
    """In records; per unit of capacity where capacities differ, and so are the other loads."""
    bound: float
    """No plan with as many moves has a smaller lag spread."""
    percent_of_mean: float
    """The lag spread in percent of the mean lag per member."""
    excess: float
    """What lies above a fair share, summed over the members."""
    gain_percent: float
    """Part of the excess saved, of what is not proved to be impossible to save."""
    evidence: Evidence | None
    """What proves the spread to be the least; None where nothing does."""
    marks: tuple[str, ...]
    """Of ``current``, ``knee`` and ``plan``."""

    @property
    def is_proved(self) -> bool:
        return self.bound == self.spread


@dataclass(frozen=True, slots=True)
class FrontierFacts:
    kind: ClassVar[str] = "frontier"
    size: ClassVar[int] = 0

    source: tuple[Point, ...] = field(metadata=NOT_IN_JSON)
    points: tuple[PointFacts, ...]
    """Moves ascending, spread descending."""
    group: GroupFacts
    per_capacity: bool
    """True if loads are per unit of capacity, since capacities differ."""
    policy: Policy
    """What the front was asked for with."""
    interrupted: bool
    """True if the run was told to end before it was done."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the run beside the policy's: seed, and effort where it was limited."""

    @property
    def headline(self) -> str:
        """What the moves buy, in one line of words."""
        return self.headline_of(self.points)

    def headline_of(self, points: Sequence[PointFacts]) -> str:
        """The headline of other points in place of the front's."""
        return frontier_headline(points, "load" if self.per_capacity else "lag")

    @property
    def evidence(self) -> Evidence | None:
        """What proves all points together; None unless each of them is proved."""
        found = {point.evidence for point in self.points}
        if not found or None in found:
            return None
        return "solver" if "solver" in found else "checked"

    @property
    def unproved(self) -> int:
        """Points whose lag spread may not be the smallest."""
        return sum(not point.is_proved for point in self.points)

    def document(self) -> dict[str, Any]:
        interrupted = {"interrupted": True} if self.interrupted else {}
        return {
            "format": FORMAT,
            "group": self.group.name,
            "policy": {**self.policy.to_dict(), **self.run},
            "evidence": self.evidence,
            "headline": self.headline,
            "points": [point.to_dict() for point in self.source],
            **interrupted,
        }


def frontier_facts(
    group: Group,
    points: Sequence[Point],
    policy: Policy,
    *,
    interrupted: bool = False,
    run: Mapping[str, Any] | None = None,
) -> FrontierFacts:
    """The facts of a front; `run` are the settings of the run beside the policy's."""
    shaped = shape_group(group, policy)
    reduction = reduce_group(shaped, policy)
    figures = group_facts(shaped, reduction)
    mean = figures.mean_lag
    first = points[0] if points else None
    gain = (
        GainScale.of(figures, first.excess, first.excess_lower_bound)
        if first
        else GainScale(0, 0, False)
    )
    rows = tuple(
        PointFacts(
            point.moves,
            point.spread,
            point.spread_lower_bound,
            100 * point.spread / mean if mean else 0.0,
            point.excess,
            gain.percent(point.excess),
            point.evidence,
            point.marks,
        )
        for point in points
    )
    per_capacity = load_divisor(reduction.group) is not None
    in_force = weighed_policy(policy, group)
    return FrontierFacts(
        tuple(points), rows, figures, per_capacity, in_force, interrupted, run or {}
    )


def frontier_headline(points: Sequence[PointFacts], what: str) -> str:
    """What the fewest moves, the knee and equilag's plan get of the possible gain."""
    if not points:
        return "No trade-offs: there is nothing to assign"
    if len(points) == 1:
        moves = plural(points[0].moves, "move")
        return f"One point: no plan with more than {moves} and a smaller {what} spread was found"
    first = points[0]
    marked = {mark: point for point in points for mark in point.marks}
    shown = [marked[mark] for mark in ("knee", "plan") if mark in marked]
    shown = [point for point in shown if point.moves > first.moves] or [points[-1]]
    differ = any(point.gain_percent > first.gain_percent for point in shown)
    chosen = dict.fromkeys(_point(point, differ) for point in shown)
    start = f"{what} spread {number(first.spread)} with {plural(first.moves, 'move')}"
    return f"Trade-offs: {start}; {'; '.join(chosen)}"


def _point(point: PointFacts, shows_gain: bool) -> str:
    text = f"{number(point.spread)} with {number(point.moves)}"
    if not shows_gain:
        return text
    return f"{text} ({short_percent(point.gain_percent)} of the possible gain)"
