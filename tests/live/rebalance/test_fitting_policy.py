"""What a live group can keep of a policy now, what breaks its rules, and topics that are kept
together though nobody declared them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.groups import group_of as plain_group

from equilag.domain.columns import Index
from equilag.domain.errors import InputError
from equilag.domain.group.co_partitioning import CoPartitionedTopics
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.units import unit_lists
from equilag.heuristics import get_assignor
from equilag.live.rebalance.decision import Decision, PlanSettings, decide
from equilag.live.rebalance.fitting_policy import (
    FittingPolicy,
    count_broken,
    fitting_policy,
    structure_only,
)
from equilag.live.rebalance.joined_members import JoinedMember, group_of
from equilag.live.rebalance.kept_together import KeptTogether
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.sticky_plan import sticky_decision
from equilag.planner.solve import solve

MEMBERS = [
    JoinedMember("a-1", ("t", "u"), instance_id="a", host="10.0.0.1"),
    JoinedMember("b-1", ("t", "u"), instance_id="b", host="10.0.0.1"),
]
SIZES = {"t": 4, "u": 4}


def group(members: list[JoinedMember] = MEMBERS, racks: str | None = None) -> Group:
    held = None if racks is None else {topic: [[racks]] * size for topic, size in SIZES.items()}
    return group_of("g", members, SIZES, Measured({"t": [4, 3, 2, 1]}, held))


def fitted(policy: Policy, on: Group) -> FittingPolicy:
    """What fits, given the error that the policy causes."""
    with pytest.raises(InputError) as caught:
        solve(on, policy)
    found = fitting_policy(on, policy, caught.value)
    assert found.policy == policy or solve(on, found.policy, effort=0.5).status == "optimal"
    return found


APART = [replace(MEMBERS[0], topics=("t",)), replace(MEMBERS[1], topics=("u",))]
UNLIKE = [MEMBERS[0], replace(MEMBERS[1], topics=("t",))]
OWNER = [replace(MEMBERS[0], hints={"t": [0]}), MEMBERS[1]]
FAR = [replace(member, rack="far") for member in MEMBERS]
PINS = {("t", 0): "b", ("t", 1): "away", ("t", 9): "a", ("t", 2): "a", ("no", 0): "a"}
NO_TOPIC = 'co_partition: there is no topic "{}"'.format


@pytest.mark.parametrize(
    ("given", "on", "kept", "left_out"),
    [
        ({"pin": PINS}, group(), {"pin": {("t", 0): "b", ("t", 2): "a"}},
         ['pin: no member has the id, instance id or client id "away"',
          "pin: t-9 does not exist; t has 4 partitions", 'pin: there is no topic "no"']),
        ({"co_partition": [["t", "later", "u"], ["gone", "lost"]]}, group(),
         {"co_partition": [["t", "u"]]}, [*map(NO_TOPIC, ("gone", "later", "lost"))]),
        ({"co_partition": "none", "keep": ["gone"]}, group(), {"co_partition": "none"}, ["keep: "]),
        ({"co_partition": [["t", "u"]]}, group(APART), {},
         ["co_partition: no member subscribes to all of t, u"]),
        ({"capacity": {"a-*": 2, "c-*": 3}, "keep": ["t", "no"], "instances": "host"},
         group(UNLIKE), {"capacity": {"a-*": 2}, "keep": ["t"]},
         ["capacity: ", "keep: ", "instances: "]),
        ({"keep": ["t"], "pin": {("t", 0): "b", ("u", 0): "b"}}, group(OWNER),
         {"keep": ["t"], "pin": {("u", 0): "b"}}, ["keep: "]),
        ({"max_partitions": 3, "pin": {("t", 0): "a"}}, group(), {"pin": {("t", 0): "a"}},
         ["max_partitions: "]),
        # Of a limit that cannot be kept the fewest reads stay.
        ({"max_cross_rack": 2}, group(FAR, racks="near"), {"rack_aware": True}, ["max_cross_rack"]),
        # Other errors leave nothing out.
        ({"balance": "per-topic", "pin": {("t", 0): "a"}}, group(),
         {"balance": "per-topic", "pin": {("t", 0): "a"}}, []),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_left_out_alone(
    given: dict[str, Any], on: Group, kept: dict[str, Any], left_out: list[str]
) -> None:
    found = fitted(Policy(**given), on)
    assert found.policy == Policy(**kept)
    assert len(found.left_out) == len(left_out)
    for line, begin in zip(found.left_out, left_out, strict=True):
        assert line.startswith(f"left out for now: {begin}")


def test_the_structure_of_a_policy() -> None:
    policy = Policy(
        "kip-169", rack_aware=True, max_partitions=3, capacity={"a-*": 2},
        co_partition=[["t", "u"]], pin={("t", 0): "a"}, keep=["t"],
    )  # fmt: skip
    assert structure_only(policy) == Policy(
        co_partition=[["t", "u"]], pin={("t", 0): "a"}, keep=["t"]
    )


@pytest.mark.parametrize(
    ("policy", "broken"),
    [
        (Policy(), 0),
        (Policy(rack_aware=True), 0),
        (Policy(co_partition=[["t", "u"]]), 2),
        (Policy(pin={("t", 0): "b", ("t", 1): "b"}), 1),
        (Policy(pin={("t", 0): "b", ("t", 1): "away"}), 1),
        (Policy(max_partitions=3), 1),
        (Policy(co_partition=[["t", "u"]], pin={("t", 0): "b"}), 3),
        (Policy(balance="per-topic", pin={("t", 0): "b"}), 1),
    ],
)
def test_broken_rules(policy: Policy, broken: int) -> None:
    assigned = np.array([0, 1, 0, 0, 0, 1], dtype=np.int32)
    members = [JoinedMember(name, ("t", "u")) for name in ("a", "b")]
    assert count_broken(group_of("g", members, {"t": 3, "u": 3}), policy, assigned) == broken


Found = tuple[CoPartitionedTopics, ...]
LISTS = (("t00", "t01"),)


def joined(sizes: tuple[int, ...] = (12, 12, 5), members: int = 4) -> Group:
    """What range assigned."""
    subscriptions = [list(range(len(sizes)))] * members
    bare = plain_group(sizes, subscriptions)
    lags = [n * n % 97 for n in range(sum(sizes))]
    return plain_group(sizes, subscriptions, get_assignor("range").assign(bare), lags)


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
