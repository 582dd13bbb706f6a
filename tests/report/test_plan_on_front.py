"""The plan of a report among the points of a front that another run made."""

from __future__ import annotations

from dataclasses import replace

from equilag.report.facts.frontier import FrontierFacts
from equilag.report.facts.group_report import GroupReportFacts
from equilag.report.facts.plans.plan import PlanFacts
from equilag.report.facts.plans.plan_on_front import points_with_plan
from support.group_pages import report_of
from support.paths import SAMPLES

REPORT = report_of(str(SAMPLES / "token-indexer.snapshot.json"))


def front_of(report: GroupReportFacts) -> FrontierFacts:
    assert report.frontier is not None
    return report.frontier


def with_figures(moves: int, spread: float) -> PlanFacts:
    return replace(REPORT.plan, proof=replace(REPORT.plan.proof, moves=moves, spread=spread))


def test_a_plan_that_the_front_has_is_marked_there() -> None:
    front = front_of(REPORT)
    last = front.points[-1]
    rows = points_with_plan(front, with_figures(last.moves, last.spread))
    assert len(rows) == len(front.points)
    assert [row.point for row in rows if "plan" in row.point.marks] == [rows[-1].point]
    assert all(row.is_on_front and not row.note for row in rows)


def test_a_plan_that_a_point_beats_has_its_own_point_beside_it() -> None:
    front = front_of(REPORT)
    last = front.points[-1]
    rows = points_with_plan(front, with_figures(last.moves, last.spread + 7))
    own = rows[-1]
    assert (own.point.moves, own.point.spread) == (last.moves, last.spread + 7)
    assert own.point.marks == ("plan",)
    assert not own.is_on_front
    assert f"{last.spread:,} with as many moves" in own.note
    fewer = points_with_plan(front, with_figures(last.moves + 1, last.spread + 7))[-1]
    assert f"with {last.moves} moves" in fewer.note


def test_a_plan_that_no_point_beats_is_on_the_front() -> None:
    front = front_of(REPORT)
    last = front.points[-1]
    own = points_with_plan(front, with_figures(last.moves + 1, last.spread - 1))[-1]
    assert own.is_on_front
    assert not own.note


def test_a_flat_front_has_no_knee() -> None:
    front = front_of(REPORT)
    first = front.points[0]
    flat = replace(
        front,
        points=tuple(
            replace(point, percent_of_mean=first.percent_of_mean, marks=("knee",))
            for point in front.points
        ),
    )
    marks = {mark for row in points_with_plan(flat, REPORT.plan) for mark in row.point.marks}
    assert "knee" not in marks
