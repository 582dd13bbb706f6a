"""Facts: what a report says, as data, apart from any words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from equilag.report.facts.frontier import frontier_facts
from equilag.report.facts.live_groups import LiveGroupFacts, LiveGroupsFacts
from equilag.report.facts.plans.plan import MemberFacts, plan_facts
from support.orders_service import orders_group

from equilag.domain.plan.plan import Choice
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.facts.group import group_facts
from equilag.planner.frontier import Point


def test_the_group_and_its_current_assignment() -> None:
    facts = group_facts(orders_group())
    assert (facts.members, facts.topics, facts.partitions, facts.owned) == (3, 2, 9, 9)
    assert facts.total_lag == 2286
    assert facts.mean_lag == 762.0
    assert facts.spread == 600  # 1,005, 405 and 876
    assert facts.fully_owned
    assert facts.doubtful_lags == {}


def test_a_group_that_nobody_owns_anything_in() -> None:
    members = [{"id": "a", "subscription": ["orders"]}, {"id": "b", "subscription": ["gone"]}]
    facts = group_facts(orders_group(members=members))
    assert facts.spread is None
    assert not facts.fully_owned
    assert facts.unread_topics == (("payments", 4),)
    assert facts.mean_lag == 1410.0  # of orders alone, over the member that is not idle


def test_members_and_moves_of_a_plan() -> None:
    plan = assign(orders_group(), "range")
    facts = plan_facts(plan)
    assert facts.members[0] == MemberFacts("a", 3, 1005, 4, 1069)
    assert [move.lag for move in facts.moves.moves] == sorted(
        (move.lag for move in plan.moves), reverse=True
    )
    assert facts.moves.lag == sum(move.lag for move in plan.moves)
    assert (facts.moves.new, facts.idle, facts.run) == (0, (), None)
    assert facts.document() == {**plan.to_dict(), "verdict": facts.verdict.document()}
    assert facts.size == 9


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
    plan = replace(
        assign(orders_group(), "range"), policy=policy, choices=choices, excess_lower_bound=50
    )
    assert len(plan.moves) == 5
    facts = plan_facts(plan).choices
    assert facts is not None
    assert facts.from_current  # whose excess is 357
    assert [row.gain_percent for row in facts.rows] == pytest.approx([20.0, 100.0])
    assert [row.settings for row in facts.rows] == settings
    assert plan_facts(replace(plan, choices=choices[:1])).choices is None


def test_the_evidence_of_a_front_is_that_of_its_weakest_point() -> None:
    proved = [Point(0, 9, 9, 9.0, 0, "checked"), Point(1, 5, 5, 5.0, 0, "solver")]
    front = frontier_facts(orders_group(), proved, Policy(), interrupted=True)
    assert (front.evidence, front.document()["interrupted"]) == ("solver", True)
    assert frontier_facts(orders_group(), proved[:1], Policy()).evidence == "checked"
    open_end = [*proved, Point(2, 4, 3, 4.0)]
    assert frontier_facts(orders_group(), open_end, Policy()).evidence is None
    assert frontier_facts(orders_group(), [], Policy()).evidence is None


def test_live_groups_are_summed_up() -> None:
    row = LiveGroupFacts("a", "Stable", "classic", 1, 2, 30, 0, "m", 100.0, 1, ["slow"])
    facts = LiveGroupsFacts(
        (row, replace(row, group="b", lag=12)), {"c": "no right"}, {"bootstrap_server": "b:1"}
    )
    assert (facts.lag, facts.unknown_lags) == (42, 2)
    document = facts.document()
    assert document["format"] == "equilag/groups/1"
    assert document["settings"] == {"bootstrap_server": "b:1"}
    assert document["left_out"] == {"c": "no right"}
    assert document["groups"][0] == {
        "group": "a", "state": "Stable", "kind": "classic", "members": 1, "partitions": 2,
        "lag": 30, "lag_spread": 0, "worst_member": "m", "worst_share_percent": 100.0,
        "unknown_lags": 1, "remarks": ["slow"],
    }  # fmt: skip
