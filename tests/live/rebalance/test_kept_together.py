"""Topics of a live group that are kept together though nobody declared them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.groups import group_of

from equilag.domain.columns import Index
from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.units import unit_lists
from equilag.heuristics import get_assignor
from equilag.live.rebalance.decision import Decision, PlanSettings, decide
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.sticky_plan import sticky_decision

Found = tuple[CoPartitionedTopics, ...]
LISTS = (("t00", "t01"),)


def joined(sizes: tuple[int, ...] = (12, 12, 5), members: int = 4) -> Group:
    """What range assigned."""
    subscriptions = [list(range(len(sizes)))] * members
    bare = group_of(sizes, subscriptions)
    lags = [n * n % 97 for n in range(sum(sizes))]
    return group_of(sizes, subscriptions, get_assignor("range").assign(bare), lags)


def lists_for(kept: KeptTogether, group: Group, policy: Policy | None = None) -> object:
    return kept.policy_for(group, policy or Policy()).co_partition


def test_what_is_found_stays_after_all_members_have_restarted() -> None:
    reports: list[Found] = []
    kept = KeptTogether(reports.append)
    assert lists_for(kept, joined().without_owners()) == ()
    assert lists_for(kept, joined()) == LISTS
    assert lists_for(kept, joined(members=3).without_owners()) == LISTS
    assert [[one.topics for one in found] for found in reports] == [list(LISTS)]


def test_lists_grow_and_go_with_their_topics() -> None:
    kept = KeptTogether(lambda found: None)
    kept.protocol = "range"
    assert lists_for(kept, joined((3, 3, 4))) == LISTS
    assert lists_for(kept, joined((3, 3, 3))) == (("t00", "t01", "t02"),)
    kept.protocol = ""
    assert lists_for(kept, joined((3, 6, 3)).without_owners()) == ()


@pytest.mark.parametrize(
    "policy", [Policy(co_partition=[["t01", "t02"]]), Policy("kip-169"), Policy(balance="both")]
)
def test_a_policy_that_says_it_or_cannot_have_it_stays_as_it_is(policy: Policy) -> None:
    assert KeptTogether(lambda found: None).policy_for(joined(), policy) is policy


@pytest.mark.parametrize("make", [decide, sticky_decision])
def test_plans_keep_the_topics_together(make: Callable[[Group, PlanSettings], Decision]) -> None:
    group = joined()
    assert is_torn(make(group, PlanSettings()).plan.assigned, group) == (make is decide)
    decision = make(group, PlanSettings(together=KeptTogether(lambda found: None)))
    assert decision.fallback_reason is None
    assert not is_torn(decision.plan.assigned, group)


def is_torn(assigned: Index, group: Group) -> bool:
    (units,) = unit_lists(replace(group, co_partitioned=((0, 1),)))
    return bool((assigned[units] != assigned[units[0]]).any())
