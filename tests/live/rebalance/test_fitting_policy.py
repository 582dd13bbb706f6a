"""What a live group can keep of a policy now, what breaks its rules, and topics that are kept
together though nobody declared them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


def fitted(policy: Policy, on: Group | None = None) -> FittingPolicy:
    """What fits, given the error that the policy causes."""
    on = group() if on is None else on
    with pytest.raises(InputError) as caught:
        solve(on, policy)
    found = fitting_policy(on, policy, caught.value)
    assert found.policy == policy or solve(on, found.policy).status == "optimal"
    return found


def test_a_pin_to_an_absent_member_is_left_out_alone() -> None:
    pins = {("t", 0): "b", ("t", 1): "away", ("t", 9): "a", ("t", 2): "a", ("no", 0): "a"}
    found = fitted(Policy(pin=pins))
    assert found.policy.pin == (("t", 0, "b"), ("t", 2, "a"))
    assert found.left_out == (
        'left out for now: pin: no member has the id, instance id or client id "away"',
        "left out for now: pin: t-9 does not exist; t has 4 partitions",
        'left out for now: pin: there is no topic "no"',
    )


def test_existing_topics_of_a_list_still_belong_together() -> None:
    found = fitted(Policy(co_partition=[["t", "later", "u"], ["gone", "lost"]]))
    assert found.policy.co_partition == (("t", "u"),)
    assert found.left_out == tuple(
        f'left out for now: co_partition: there is no topic "{topic}"'
        for topic in ("gone", "later", "lost")
    )


def test_no_lists_stay_no_lists() -> None:
    found = fitted(Policy(co_partition="none", keep=["gone"]))
    assert found.left_out
    assert found.policy == Policy(co_partition="none")


def test_topics_that_nobody_reads_together() -> None:
    apart = [replace(MEMBERS[0], topics=("t",)), replace(MEMBERS[1], topics=("u",))]
    found = fitted(Policy(co_partition=[["t", "u"]]), group(apart))
    assert found.policy.co_partition == ()
    (line,) = found.left_out
    assert "no member subscribes to all of t, u" in line


def test_capacities_kept_topics_and_instances() -> None:
    unlike = [MEMBERS[0], replace(MEMBERS[1], topics=("t",))]
    policy = Policy(capacity={"a-*": 2, "c-*": 3}, keep=["t", "no"], instances="host")
    found = fitted(policy, group(unlike))
    assert found.policy == Policy(capacity={"a-*": 2}, keep=["t"])
    assert [line.split(": ")[1] for line in found.left_out] == ["capacity", "keep", "instances"]


def test_a_pin_that_contradicts_a_kept_topic_is_left_out() -> None:
    owner = [replace(MEMBERS[0], hints={"t": [0]}), MEMBERS[1]]
    found = fitted(Policy(keep=["t"], pin={("t", 0): "b", ("u", 0): "b"}), group(owner))
    assert found.policy == Policy(keep=["t"], pin={("u", 0): "b"})
    assert len(found.left_out) == 1


def test_too_little_room_is_left_out() -> None:
    found = fitted(Policy(max_partitions=3, pin={("t", 0): "a"}))
    assert found.policy == Policy(pin={("t", 0): "a"})
    (line,) = found.left_out
    assert line.startswith("left out for now: max_partitions: ")


def test_of_a_limit_that_cannot_be_kept_the_fewest_reads_stay() -> None:
    far = [replace(member, rack="far") for member in MEMBERS]
    found = fitted(Policy(max_cross_rack=2), group(far, racks="near"))
    assert found.policy == Policy(rack_aware=True)
    assert len(found.left_out) == 1


def test_other_errors_leave_nothing_out() -> None:
    policy = Policy(balance="per-topic", pin={("t", 0): "a"})
    assert fitted(policy) == FittingPolicy(policy)


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
