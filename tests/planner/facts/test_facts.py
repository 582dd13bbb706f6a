"""Facts of a group and of a plan, apart from any words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.orders_service import orders_group

from equilag.domain.plan.plan import Choice
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.planner.facts.group import group_facts
from equilag.planner.facts.plan import MemberFacts, choice_facts, idle_members, member_facts


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


def test_members_of_a_plan() -> None:
    plan = assign(orders_group(), "range")
    first = member_facts(plan, None)[0]
    assert first == MemberFacts("a", 3, 1005, 4, 1069)
    assert idle_members(plan) == ()


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
    group = group_facts(plan.group)
    found, from_current = choice_facts(plan, group)
    assert from_current  # whose excess is 357
    assert [one.gain_percent for one in found] == pytest.approx([20.0, 100.0])
    assert [one.settings for one in found] == settings
    assert choice_facts(replace(plan, choices=choices[:1]), group) == ((), False)
