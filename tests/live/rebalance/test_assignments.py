"""The leader's answer to a rebalance: who counts as the owner, what each member gets, and what
moves because of it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest

from equilag.adapters.kafka.consumer_protocol import write_assignment, write_subscription
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Group
from equilag.live.rebalance.assignments import (
    Answering,
    Decide,
    JoinedMembers,
    RebalanceAnswer,
    read_joined_members,
)
from equilag.live.rebalance.decision import Decision, PlanSettings, decide
from equilag.live.rebalance.handouts import HandedOut, TargetAssignment, counts_of
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, with_prior_owners
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.sticky_plan import sticky_decision

SETTINGS = PlanSettings(time_limit=2.0)
THREE = {"t": 3}
MEASURED = Measured({"t": [100, 60, 50]})
FULL, STICKY = partial(decide, settings=SETTINGS), partial(sticky_decision, settings=SETTINGS)


def members(
    claims: Mapping[str, Sequence[int]], hints: Mapping[str, Sequence[int]] | None = None
) -> list[JoinedMember]:
    """Members that read `t`, with the partitions that they hold, or held."""
    held = hints or {}
    return [
        JoinedMember(name, ("t",), {"t": ns} if ns else {}, 1, hints={"t": held.get(name, [])})
        for name, ns in claims.items()
    ]


def target_of(**held: list[int]) -> TargetAssignment:
    joined = [JoinedMember(name, ("t",)) for name in held]
    return TargetAssignment.of(joined, {name: {"t": ns} for name, ns in held.items()}, THREE, {})


def answered(
    joined: Sequence[JoinedMember],
    target: TargetAssignment | None = None,
    *,
    cooperative: bool = False,
    sizes: Mapping[str, int] = THREE,
    going_on: Mapping[str, Partitions] | None = None,
    decided: Decide = FULL,
    known: HandedOut | None = None,
    measured: Measured = MEASURED,
) -> RebalanceAnswer:
    known = known or HandedOut(target=target)
    if going_on is not None:
        known = HandedOut(target=TargetAssignment(going_on, {}, {}), unfinished=True)
    answering = Answering("g", JoinedMembers(list(joined), cooperative), sizes, known)
    return answering.answer(measured, decided, None)


def test_members_as_they_introduce_themselves() -> None:
    version = struct.pack(">h", 2) + write_subscription(["t", "u", "t"])[2:-4]
    owned = write_assignment({"t": [2]})[2:-4] + struct.pack(">i", 4)
    entries = [("m-1", None, version + owned), ("m-2", "static", write_subscription(["t"]))]
    held = {"static": {"t": [0]}, "m-1": {"t": [1]}}
    eager, cooperative = (
        read_joined_members(name, entries, held) for name in ("range", "cooperative-sticky")
    )
    assert (eager.cooperative, cooperative.cooperative) == (False, True)
    assert eager.members == cooperative.members
    assert eager.members == [
        JoinedMember("m-1", ("t", "u"), {"t": [2]}, 4, hints={"t": [1]}),
        JoinedMember("m-2", ("t",), {}, -1, "static", hints={"t": [0]}),
    ]


def test_a_member_that_was_expelled_is_known_by_its_client_id() -> None:
    """One of several members alike, and nobody who was not there before."""
    ids = [f"{name}-00000000-0000-4000-8000-00000000000{number}"
           for number, name in enumerate(["a", "a", "b", "a", "a", "a", "c"])]  # fmt: skip
    held = {one: {"t": [number]} for number, one in enumerate(ids[:4])}
    entries = [(one, None, write_subscription(["t"])) for one in ids[3:]]
    here = read_joined_members("range", entries, held)
    assert [one.hints for one in here.members] == [{"t": [3]}, {"t": [1]}, {}, {}]


def test_an_unreadable_subscription() -> None:
    entries = [("m-1", None, b"\x00"), ("m-2", None, write_subscription(["t"]))]
    here = read_joined_members("range", entries, {"m-1": {"t": [0]}})
    assert here.members[0].topics == ("t",)
    answer = Answering("g", here, THREE, HandedOut()).answer(MEASURED, FULL, None)
    assert answer.origin == "sticky"
    assert "the subscription of m-1 cannot be read" in answer.fallback_reasons[0]
    assert sorted(p for topics in answer.by_member.values() for p in topics["t"]) == [0, 1, 2]
    assert 0 in answer.by_member["m-1"]["t"]


def test_a_cooperative_group_takes_two_steps() -> None:
    before = members({"a": [0, 1], "b": [2]})
    first = answered(before, cooperative=True)
    assert (first.withheld, first.by_member) == (1, {"a": {"t": [0]}, "b": {"t": [2]}})
    # As long as nothing is released, it stays withheld.
    assert answered(before, first.target, cooperative=True).by_member == first.by_member
    second = answered(members({"a": [0], "b": [2]}), first.target, cooperative=True)
    assert (second.origin, second.withheld) == ("target", 0)
    assert second.by_member == {"a": {"t": [0]}, "b": {"t": [1, 2]}}


@pytest.mark.parametrize(
    ("names", "topics_of_b", "origin"),
    [
        ("ab", ("t",), "target"),
        ("abc", ("t",), "sticky"),
        ("a", (), "sticky"),
        ("ab", ("t", "u"), "sticky"),
    ],
)
def test_a_target_is_kept_for_the_same_group(
    names: str, topics_of_b: tuple[str, ...], origin: str
) -> None:
    joined = [JoinedMember(one, topics_of_b if one == "b" else ("t",)) for one in names]
    answer = answered(joined, target_of(a=[0, 1], b=[2]))
    assert answer.origin == origin
    if origin == "target":
        assert answer.by_member == {"a": {"t": [0, 1]}, "b": {"t": [2]}}


def test_an_invalid_target_is_dropped() -> None:
    answer = answered(members({"a": [], "b": []}), target_of(a=[0, 1], b=[]))
    assert answer.origin == "sticky"
    assert answer.fallback_reasons == ("the plan made in advance does not fit the group",)


def test_members_get_only_subscribed_topics() -> None:
    joined = [JoinedMember("a", ("t",)), JoinedMember("b", ("u",)), JoinedMember("c", ())]
    assert answered(joined).by_member == {"a": {"t": [0, 1, 2]}, "b": {}, "c": {}}
    assert answered([]).by_member == {}


def test_an_invalid_plan_is_not_handed_out() -> None:
    def wrong(group: Group) -> Decision:
        decision = decide(group, SETTINGS)
        decision.plan.assigned[0] = -1
        return decision

    with pytest.raises(EquilagError, match="no valid assignment"):
        answered(members({"a": []}), decided=wrong)


def test_hints_fill_what_nobody_claims() -> None:
    joined = [
        JoinedMember("a", ("t",), {"t": [0]}, hints={"t": [1, 2]}),
        JoinedMember("b", ("t",), {"t": [2]}, hints={"u": [5]}),
    ]
    found = with_prior_owners(joined)
    assert [one.claims for one in found] == [{"t": [0, 1]}, {"t": [2], "u": [5]}]
    assert not any(one.hints for one in found)


def test_a_change_under_way_comes_after_claims() -> None:
    """And not for members that are gone, or topics that are no longer subscribed to."""
    joined = [
        JoinedMember("a-2", ("t",), {"t": [0, 1]}, instance_id="a"),
        JoinedMember("b", ("t",), {"t": [2]}, hints={"t": [3]}),
    ]
    going_on = {"a": {"t": [0, 3], "u": [0]}, "b": {"t": [1]}, "gone": {"t": [2]}}
    found = with_prior_owners(joined, going_on)
    assert [one.claims for one in found] == [{"t": [0, 1, 3]}, {"t": [2]}]


HELD = {"a": [0, 1, 2, 3], "b": [4, 5, 6, 7], "c": [8, 9, 10, 11]}
CLAIMING = members(HELD)
in_twelve = partial(answered, cooperative=True, sizes={"t": 12}, decided=STICKY)


@pytest.mark.parametrize("cooperative", [True, False])
def test_a_join_moves_what_the_counts_force(cooperative: bool) -> None:
    held = CLAIMING if cooperative else members(dict.fromkeys(HELD, ()), HELD)
    answer = in_twelve([*held, JoinedMember("d", ("t",))], cooperative=cooperative)
    assert (answer.moves, answer.withheld) == (3, 3 if cooperative else 0)
    assert answer.origin == "sticky"


def test_other_stewards_come_and_go_without_a_move() -> None:
    """Whether there is a target or not."""
    steward = JoinedMember("s", (), instance_id="behind")
    target = in_twelve(CLAIMING).target
    hinting = members(dict.fromkeys(HELD, ()), HELD)
    assert in_twelve([*hinting, steward], target, cooperative=False).moves == 0
    answer = in_twelve([*CLAIMING, steward], target)
    assert (answer.origin, answer.by_member["s"]) == ("target", {})
    answer = in_twelve([*CLAIMING, steward])
    assert (answer.origin, answer.moves, answer.by_member["s"]) == ("sticky", 0, {})
    assert answer.target.matches(CLAIMING, {"t": 12})
    assert in_twelve(CLAIMING, answer.target).origin == "target"


def test_a_static_member_that_restarts_keeps_its_partitions() -> None:
    """Its member id is new and it claims nothing; meanwhile another one has joined."""
    again = JoinedMember("a-2", ("t",), instance_id="a", hints={"t": HELD["a"]})
    answer = in_twelve([again, *CLAIMING[1:], JoinedMember("d", ("t",))])
    assert answer.moves == 3
    assert set(answer.by_member["a-2"]["t"]) < set(HELD["a"])
    assert answer.withheld == 2  # what b and c still have, and not what nobody claims


def test_a_claim_of_a_member_without_topics_still_counts() -> None:
    """In a cooperative group it first has to release what it holds."""
    answer = in_twelve([*CLAIMING[:2], JoinedMember("c", (), {"t": HELD["c"]})])
    assert (answer.withheld, answer.by_member["c"]) == (4, {})


def test_a_change_goes_no_further_when_another_one_comes() -> None:
    """The target was {a: 0-5, b: 6-11}; b has released nothing yet, a has. What is released goes
    where it was to go, and nobody loses what it would have had to release."""
    before = members({"a": [0, 1, 2], "b": [3, 4, 6, 7, 8], "c": []})
    going_on = {"a": {"t": [0, 1, 2, 3, 4, 5]}, "b": {"t": [6, 7, 8, 9, 10, 11]}, "gone": {"t": []}}
    answer = in_twelve(before, going_on=going_on)
    held = {name: set(topics["t"]) for name, topics in answer.target.assignment.items()}
    assert answer.moves == 4  # of the 8 that count as b's
    assert held["a"] == {0, 1, 2, 5}
    assert held["b"] < {3, 4, 6, 7, 8, 9, 10, 11}


def test_in_the_middle_of_a_change_members_have_the_shares_that_they_have() -> None:
    """The change was to leave b with two partitions; a third member does not finish it."""
    joined = members({"a": [0, 1, 2], "b": [3, 4, 5, 6, 7, 8]})
    planned = {"a": {"t": [0, 1, 2, 3, 4, 5, 6]}, "b": {"t": [7, 8]}}
    target = TargetAssignment(planned, {}, {})
    known = HandedOut(target=target, unfinished=True, shares=counts_of(planned))
    assert in_twelve(joined, sizes={"t": 9}, known=known).moves == 0
    done = replace(known, unfinished=False, target=None)
    assert in_twelve(joined, sizes={"t": 9}, known=done).moves == 4


def test_without_lags_members_keep_their_shares() -> None:
    joined = members({"a": list(range(8)), "b": [8, 9, 10, 11]})
    known, unusable = HandedOut(shares={"a": 8.0, "b": 4.0}), Measured({"t": [2**60] * 12})
    assert in_twelve(joined, known=known, measured=unusable).moves == 0
    late = partial(sticky_decision, settings=SETTINGS, patience=0.0)
    assert in_twelve(joined, known=known, decided=late).moves == 0
