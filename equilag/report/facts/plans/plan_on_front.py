"""The front of a report: the points of its own run, and the plan of the report beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from equilag.report.facts.frontier import FrontierFacts, PointFacts
from equilag.report.facts.group import GainScale
from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.facts.plans.proof import ProofFacts
from equilag.report.wording.words import number, plural

PLAN: Final = "plan"
"""The mark of the plan of the report."""
LEAST_DIFFERENCE: Final = 1.0
"""Percent of the mean by which the spreads of a front have to differ before one of its points is
called its knee."""


class FrontPoint(NamedTuple):
    point: PointFacts
    is_on_front: bool
    """False for the plan of the report where the front has better points."""
    note: str
    """What is better than the plan; empty where nothing is, and at other points."""


def points_with_plan(front: FrontierFacts, plan: PlanFacts) -> list[FrontPoint]:
    """The points of a front, of which the one marked ``plan`` has the plan's own figures.

    The front is of another run than the plan, and may have found a smaller spread.
    """
    points = [replace(point, marks=_marks(point, front.points)) for point in front.points]
    proof = plan.proof
    own = (proof.moves, proof.spread)
    found = next((i for i, point in enumerate(points) if (point.moves, point.spread) == own), None)
    if found is not None:
        points[found] = replace(points[found], marks=(*points[found].marks, PLAN))
    is_comparable = bool(points) and proof.per_capacity == front.per_capacity
    rows = [
        FrontPoint(point, True, "")
        for place, point in enumerate(points)
        if place == found or not (is_comparable and _is_beaten(point, proof))
    ]
    if found is None and is_comparable:
        better = [p for p in points if p.moves <= proof.moves and p.spread < proof.spread]
        note = _note(better[-1], proof.moves) if better else ""
        rows.append(FrontPoint(_plan_point(front, plan), not better, note))
    return sorted(rows, key=lambda row: (row.point.moves, not row.is_on_front))


def _is_beaten(point: PointFacts, plan: ProofFacts) -> bool:
    """True if the plan has no more moves and no larger spread than a point of the other run."""
    return plan.moves <= point.moves and plan.spread <= point.spread


def _marks(point: PointFacts, points: Sequence[PointFacts]) -> tuple[str, ...]:
    """The marks of a point but for ``plan``; no knee where all points are much the same."""
    same = points[0].percent_of_mean - points[-1].percent_of_mean < LEAST_DIFFERENCE
    return tuple(m for m in point.marks if m != PLAN and not (m == "knee" and same))


def _plan_point(front: FrontierFacts, plan: PlanFacts) -> PointFacts:
    proof, group, first = plan.proof, front.group, front.source[0]
    mean = group.mean_lag
    gain = GainScale.of(group, first.excess, first.excess_lower_bound)
    return PointFacts(
        proof.moves,
        proof.spread,
        max((p.bound for p in front.points if p.moves >= proof.moves), default=proof.bound or 0.0),
        100 * proof.spread / mean if mean else 0.0,
        proof.excess,
        gain.percent(proof.excess),
        None,
        (PLAN,),
    )


def _note(better: PointFacts, moves: int) -> str:
    with_moves = "as many moves" if better.moves == moves else plural(better.moves, "move")
    return (
        f"The run that made this picture found a spread of {number(better.spread)} with"
        f" {with_moves}; pick that point for its command."
    )
