"""Facts of a group, a plan and its moves, a front, and a group in a list, apart from any words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.groups import group_of
from support.orders_service import orders_group

from equilag.domain.plan.claim import Claim
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.plan_figures import Choice
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.facts.front import FrontFacts, front_facts, front_with_plan
from equilag.planner.facts.group import group_facts
from equilag.planner.facts.moves import FlowFacts, flows_by_pair, flows_that_say_most
from equilag.planner.facts.plan import choice_facts, settings_of
from equilag.planner.frontier import Point
from equilag.planner.solve import solve
from equilag.report.reports.groups import LiveGroupFacts, live_group_facts


def test_the_group_and_its_current_assignment() -> None:
    facts = group_facts(Plan.of_owners(orders_group()))
    assert (facts.members, facts.topics, facts.partitions, facts.owned) == (3, 2, 9, 9)
    assert facts.total_lag == 2286
    assert facts.mean_lag == 762.0
    assert facts.spread == 600  # 1,005, 405 and 876
    assert facts.fully_owned
    assert facts.doubtful_lags == {}


@pytest.mark.parametrize(
    ("policy", "settings"),
    [
        (Policy(), [{"max_moves": 1}, {"tolerance": 0}]),
        (Policy(tolerance=0), [{"max_moves": 1}, {}]),
        (Policy(max_moves=2), [{"max_moves": 1}, {"max_moves": 6, "tolerance": 0}]),
        (Policy(move_cost=3), [{"move_cost": 0, "max_moves": 1}, {"move_cost": 0, "tolerance": 0}]),
        (
            Policy("fair-yet-sticky"),
            [
                {"policy": "lag-aware", "max_moves": 1, "tolerance": 0},
                {"policy": "lag-aware", "max_moves": 6, "tolerance": 0},
            ],
        ),
    ],
)
def test_choices_say_their_gain_and_how_to_get_them(policy: Policy, settings: object) -> None:
    choices = (Choice("fewest moves", 1, 500, 295.6), Choice("most even", 6, 100, 50.0))
    claims = (Claim("excess_at_least", 50, "average"),)
    made = assign(orders_group(), "range")
    plan = replace(made, policy=policy, choices=choices, claims=claims)
    assert len(plan.moves) == 5
    group = group_facts(Plan.of_owners(plan.group))
    found, from_current = choice_facts(plan, group)
    assert from_current  # whose excess is 357
    assert [one.gain_percent for one in found] == pytest.approx([20.0, 100.0])
    assert [one.settings for one in found] == settings
    assert choice_facts(replace(plan, choices=choices[:1]), group) == ((), False)


def moves_of(n: int, members: int) -> tuple[Move, ...]:
    """Of a plan in which nearly every partition changes hands."""
    group = group_of([n], [[0]] * members, owners=np.arange(n) % members, lags=np.arange(n))
    plan = solve(group, time_limit=0)
    return type(plan)(plan.group, None, "fallback", "by hand", np.roll(group.owner, 1)).moves


@pytest.mark.parametrize("members", [2, 30])
def test_every_move_is_in_one_flow_the_largest_lag_first(members: int) -> None:
    moves = moves_of(60, members)
    flows = flows_by_pair(moves)
    assert sum(flow.partitions for flow in flows) == len(moves)
    assert sum(flow.lag for flow in flows) == sum(move.lag for move in moves)
    assert [flow.lag for flow in flows] == sorted((flow.lag for flow in flows), reverse=True)
    assert {(f.source, f.target) for f in flows} == {(m.source, m.target) for m in moves}


def test_flows_between_many_pairs_are_by_the_member_that_gives() -> None:
    group = orders_group()
    moves = assign(group, "range").moves
    assert len(moves) < 2 * len(flows_by_pair(moves))
    flows = flows_that_say_most(moves)
    assert len({flow.source for flow in flows}) == len(flows)
    first = flows[0]
    mine = [move for move in moves if move.source == first.source]
    targets = {move.target for move in mine}
    target = f"{len(targets)} members" if len(targets) > 1 else next(iter(targets))
    lag = sum(move.lag for move in mine)
    assert first == FlowFacts(first.source, target, len(mine), lag)
    two = moves_of(60, 2)
    assert flows_that_say_most(two) == flows_by_pair(two)
    assert flows_that_say_most([]) == ()


def row(*args: object, **given: object) -> LiveGroupFacts:
    return live_group_facts(group_of(*args, **given))  # type: ignore[arg-type]


def test_the_heaviest_member_and_its_share() -> None:
    found = row([4], [[0]] * 2, owners=[0, 0, 0, 1], lags=[10, 20, 30, 20])
    assert (found.members, found.partitions, found.lag) == (2, 4, 80)
    assert (found.lag_spread, found.worst_member, found.worst_share_percent) == (40, "m00", 75.0)


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
