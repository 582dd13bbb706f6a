"""A front with the plan of a report, which is of another run, and how a point is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.orders_service import orders_group

from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.facts.front import FrontFacts, front_facts, front_with_plan
from equilag.planner.facts.plan import settings_of
from equilag.planner.frontier import Point

GROUP = orders_group()
PLAN = assign(GROUP, "range")
MOVES, SPREAD = len(PLAN.moves), int(PLAN.lag.spread)
NO_MOVES = Point(0, SPREAD + 600, SPREAD + 600, 900.0)


def front(*points: Point) -> FrontFacts:
    return front_facts(GROUP, points, Policy())


def with_plan(*points: Point, plan: Plan = PLAN) -> FrontFacts:
    return front_with_plan(front(*points), plan)


def test_the_evidence_of_a_front_is_that_of_its_weakest_point() -> None:
    proved = Point(0, 9, 9, 9.0, 0, "checked"), Point(1, 5, 5, 5.0, 0, "solver")
    assert front(*proved).evidence == "solver"
    assert front(*proved[:1]).evidence == "checked"
    assert front(*proved, Point(2, 4, 3, 4.0)).evidence is None
    assert front().evidence is None


@pytest.mark.parametrize(
    ("moves", "spread", "better"),
    [(MOVES, -7, True), (MOVES - 1, -7, True), (MOVES + 1, -7, False)],
)
def test_a_plan_that_the_front_has_not(moves: int, spread: int, better: bool) -> None:
    """One that a point beats stands beside it; one that no point beats is on the front."""
    point = Point(moves, SPREAD + spread, 0, 300.0)
    found = with_plan(NO_MOVES, point)
    own = next(one for one in found.points if one.is_plan)
    assert (own.point.moves, own.point.spread) == (MOVES, SPREAD)
    assert own.better == (point if better else None)
    assert len(found.points) == 3


def test_points_that_the_plan_beats_go() -> None:
    found = with_plan(NO_MOVES, Point(MOVES, SPREAD + 5, 0, 300.0))
    assert [one.point.moves for one in found.points] == [0, MOVES]
    assert found.points[1].is_plan


def test_a_flat_front_has_no_knee() -> None:
    points = [Point(n, SPREAD + 1e-9 * n, 0, 9.0, marks=("knee", "plan")) for n in range(3)]
    marks = {mark for one in with_plan(*points).points for mark in one.point.marks}
    assert marks == set()
    steep = replace(NO_MOVES, marks=("knee",)), Point(MOVES, SPREAD, 0, 300.0)
    assert with_plan(*steep).points[0].point.marks == ("knee",)


def test_the_settings_of_a_point() -> None:
    point = Point(3, 10, 10, 5.0)
    assert settings_of(point, Policy()) == {"max_moves": 3, "tolerance": 0}
    moves_first = Policy("fair-yet-sticky", move_cost=5, tolerance=0)
    wanted = {"max_moves": 3, "policy": "lag-aware", "move_cost": 0}
    assert settings_of(point, moves_first) == wanted
