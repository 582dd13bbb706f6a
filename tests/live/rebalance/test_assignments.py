"""The steward's answer to a rebalance."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import pytest

from equilag.adapters.kafka.codec.consumer_protocol import (
    Subscription,
    read_assignment,
    read_subscription,
    write_assignment,
    write_subscription,
)
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Group
from equilag.live.rebalance.assignments import (
    Answering,
    JoinedMembers,
    RebalanceAnswer,
    read_joined_members,
)
from equilag.live.rebalance.decision import Decision, PlanSettings, decide
from equilag.live.rebalance.handouts import HandedOut, TargetAssignment
from equilag.live.rebalance.joined_members import JoinedMember
from equilag.live.rebalance.measured import Measured

SETTINGS = PlanSettings(time_limit=1.0)
SIZES = {"t": 3}
MEASURED = Measured({"t": [100, 60, 50]})


def planned(group: Group, measured: Measured, fallback_reason: str | None) -> Decision:
    return decide(group, SETTINGS, fallback_reason)


def member(
    name: str,
    claims: Mapping[str, Sequence[int]] | None = None,
    hints: Mapping[str, Sequence[int]] | None = None,
    topics: tuple[str, ...] = ("t",),
    instance_id: str | None = None,
) -> JoinedMember:
    return JoinedMember(name, topics, claims or {}, 1, instance_id, None, hints or {})


def given(
    members: list[JoinedMember],
    target: TargetAssignment | None = None,
    cooperative: bool = False,
    fallback_reasons: tuple[str, ...] = (),
    fallback_reason: str | None = None,
    sizes: Mapping[str, int] = SIZES,
) -> RebalanceAnswer:
    joined = JoinedMembers(members, cooperative, fallback_reasons)
    answering = Answering("g", joined, sizes, HandedOut(target=target))
    return answering.answer(MEASURED, planned, fallback_reason)


def target_of(members: list[JoinedMember], **held: list[int]) -> TargetAssignment:
    return TargetAssignment.of(members, {name: {"t": ns} for name, ns in held.items()}, SIZES, {})


def subscribed(topics: Sequence[str], owned: Mapping[str, Sequence[int]], generation: int) -> bytes:
    """A subscription in version 2."""
    version = struct.pack(">h", 2) + write_subscription(topics)[2:-4]
    return version + write_assignment(owned)[2:-4] + struct.pack(">i", generation)


def test_what_is_written_can_be_read() -> None:
    decoded = read_subscription(write_subscription(["a", "ö"]))
    assert decoded == Subscription(["a", "ö"], None, {})
    assert read_assignment(write_assignment({"a": [0, 5], "ö": []})) == {"a": [0, 5], "ö": []}
    assert read_assignment(write_assignment({})) == {}


def test_members_as_they_introduce_themselves() -> None:
    entries = [
        ("m-1", None, subscribed(["t", "u", "t"], {"t": [2]}, 4)),
        ("m-2", "static", write_subscription(["t"])),
    ]
    held = {"static": {"t": [0]}, "m-1": {"t": [1]}}
    eager = read_joined_members("range", entries, held)
    assert not eager.cooperative
    assert eager.members == [
        JoinedMember("m-1", ("t", "u"), {"t": [2]}, 4, hints={"t": [1]}),
        JoinedMember("m-2", ("t",), {}, -1, "static", hints={"t": [0]}),
    ]
    cooperative = read_joined_members("cooperative-sticky", entries, held)
    assert cooperative.cooperative
    assert cooperative.members == eager.members


def test_an_unreadable_subscription() -> None:
    entries = [("m-1", None, b"\x00"), ("m-2", None, write_subscription(["t"]))]
    here = read_joined_members("range", entries, {"m-1": {"t": [0]}})
    assert here.members[0].topics == ("t",)
    answer = Answering("g", here, SIZES, HandedOut()).answer(MEASURED, planned, None)
    assert answer.origin == "heuristic"
    assert "the subscription of m-1 cannot be read" in answer.fallback_reasons[0]
    assert sorted(p for topics in answer.by_member.values() for p in topics["t"]) == [0, 1, 2]
    assert 0 in answer.by_member["m-1"]["t"]


def test_a_cooperative_group_takes_two_steps() -> None:
    before = [member("a", {"t": [0, 1]}), member("b", {"t": [2]})]
    first = given(before, cooperative=True)
    assert first.withheld == 1
    assert first.by_member == {"a": {"t": [0]}, "b": {"t": [2]}}
    # Both members join again after the release; the plan is the same.
    second = given(
        [member("a", {"t": [0]}), member("b", {"t": [2]})], first.target, cooperative=True
    )
    assert second.origin == "target"
    assert second.withheld == 0
    assert second.by_member == {"a": {"t": [0]}, "b": {"t": [1, 2]}}


def test_a_partition_stays_withheld_until_it_is_released() -> None:
    target = target_of([member("a"), member("b")], a=[0], b=[1, 2])
    not_released = [member("a", {"t": [0, 1]}), member("b", {"t": [2]})]
    answer = given(not_released, target, cooperative=True)
    assert answer.by_member == {"a": {"t": [0]}, "b": {"t": [2]}}


def test_a_target_for_the_same_group_is_kept() -> None:
    target = target_of([member("a"), member("b")], a=[0, 1], b=[2])
    answer = given([member("a"), member("b")], target)
    assert answer.origin == "target"
    assert answer.by_member == {"a": {"t": [0, 1]}, "b": {"t": [2]}}


@pytest.mark.parametrize(
    "members",
    [
        [member("a"), member("b"), member("c")],
        [member("a")],
        [member("a"), member("b", topics=("t", "u"))],
    ],
)
def test_a_target_for_another_group_is_dropped(members: list[JoinedMember]) -> None:
    target = target_of([member("a"), member("b")], a=[0, 1], b=[2])
    assert given(members, target).origin == "plan"


def test_an_invalid_target_is_dropped() -> None:
    members = [member("a"), member("b")]
    target = target_of(members, a=[0, 1], b=[])
    answer = given(members, target)
    assert answer.origin == "heuristic"
    assert answer.fallback_reasons == ("the plan made in advance does not fit the group",)


def test_members_get_only_subscribed_topics() -> None:
    answer = given([member("a"), member("b", topics=("u",)), member("c", topics=())])
    assert answer.by_member == {"a": {"t": [0, 1, 2]}, "b": {}, "c": {}}


def test_a_group_without_members() -> None:
    assert given([]).by_member == {}


def test_an_invalid_plan_is_not_handed_out() -> None:
    def wrong(group: Group, measured: Measured, fallback_reason: str | None) -> Decision:
        decision = decide(group, SETTINGS, fallback_reason)
        decision.plan.assigned[0] = -1
        return decision

    with pytest.raises(EquilagError, match="no valid assignment"):
        Answering("g", JoinedMembers([member("a")], False), SIZES, HandedOut()).answer(
            MEASURED, wrong, None
        )
