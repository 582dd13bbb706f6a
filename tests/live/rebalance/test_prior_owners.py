"""Who counts as the owner when a rebalance is planned, and how much moves because of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from equilag.domain.group.group import Group
from equilag.live.rebalance.assignments import Answering, JoinedMembers, RebalanceAnswer
from equilag.live.rebalance.decision import Decision, PlanSettings
from equilag.live.rebalance.handouts import HandedOut, TargetAssignment
from equilag.live.rebalance.joined_members import JoinedMember, Partitions, with_prior_owners
from equilag.live.rebalance.measured import Measured
from equilag.live.rebalance.rebalance_answer import sticky_decision


def test_hints_fill_what_nobody_claims() -> None:
    members = [
        JoinedMember("a", ("t",), {"t": [0]}, hints={"t": [1, 2]}),
        JoinedMember("b", ("t",), {"t": [2]}, hints={"u": [5]}),
    ]
    found = with_prior_owners(members)
    assert [one.claims for one in found] == [{"t": [0, 1]}, {"t": [2], "u": [5]}]
    assert not any(one.hints for one in found)


def test_a_change_under_way_comes_before_claims() -> None:
    """But not for members that are gone, or topics that are no longer subscribed to."""
    members = [
        JoinedMember("a-2", ("t",), {"t": [0, 1]}, instance_id="a"),
        JoinedMember("b", ("t",), {"t": [2]}, hints={"t": [3]}),
    ]
    going_on = {"a": {"t": [0, 3], "u": [0]}, "b": {"t": [1]}, "gone": {"t": [2]}}
    found = with_prior_owners(members, going_on)
    assert [one.claims for one in found] == [{"t": [0, 3]}, {"t": [1, 2]}]


def sticky(group: Group, measured: Measured, fallback_reason: str | None) -> Decision:
    return sticky_decision(group, PlanSettings(time_limit=2.0), fallback_reason)


TWELVE = {"t": 12}


def twelve(
    held: Mapping[str, Sequence[int]], claiming: bool = True, new: Sequence[str] = ()
) -> list[JoinedMember]:
    """Members that hold these of 12 partitions, and new ones."""
    return [
        *(
            JoinedMember(
                name,
                ("t",),
                claims={"t": theirs} if claiming else {},
                hints={} if claiming else {"t": theirs},
            )
            for name, theirs in held.items()
        ),
        *(JoinedMember(name, ("t",)) for name in new),
    ]


def answered(
    members: list[JoinedMember],
    cooperative: bool = True,
    going_on: Mapping[str, Partitions] | None = None,
    target: TargetAssignment | None = None,
) -> RebalanceAnswer:
    known = HandedOut(target=target)
    if going_on is not None:
        known = HandedOut(target=TargetAssignment(going_on, {}, {}), unfinished=True)
    joined = JoinedMembers(members, cooperative)
    return Answering("g", joined, TWELVE, known).answer(Measured(), sticky, None)


THREE = {"a": [0, 1, 2, 3], "b": [4, 5, 6, 7], "c": [8, 9, 10, 11]}


@pytest.mark.parametrize("cooperative", [True, False])
def test_a_join_moves_what_the_counts_force(cooperative: bool) -> None:
    answer = answered(twelve(THREE, cooperative, ["d"]), cooperative)
    assert (answer.moves, answer.withheld) == (3, 3 if cooperative else 0)
    assert answer.origin == "sticky"


def test_other_stewards_come_and_go_without_a_move() -> None:
    """Whether there is a target or not."""
    steward = JoinedMember("s", (), instance_id="behind")
    target = answered(twelve(THREE)).target
    assert answered([*twelve(THREE, claiming=False), steward], False, None, target).moves == 0
    answer = answered([*twelve(THREE), steward], target=target)
    assert (answer.origin, answer.by_member["s"]) == ("target", {})
    answer = answered([*twelve(THREE), steward])
    assert (answer.origin, answer.moves, answer.by_member["s"]) == ("sticky", 0, {})
    assert answer.target.matches(twelve(THREE), TWELVE)
    assert answered(twelve(THREE), target=answer.target).origin == "target"


def test_a_static_member_that_restarts_keeps_its_partitions() -> None:
    """Its member id is new and it claims nothing; meanwhile another one has joined."""
    hints = {"t": THREE["a"]}
    again = JoinedMember("a-2", ("t",), instance_id="a", hints=hints)
    others = twelve({"b": THREE["b"], "c": THREE["c"]}, new=["d"])
    answer = answered([again, *others])
    assert answer.moves == 3
    assert set(answer.by_member["a-2"]["t"]) < set(THREE["a"])
    assert answer.withheld == 2  # what b and c still have, and not what nobody claims


def test_a_claim_of_a_member_without_topics_still_counts() -> None:
    """In a cooperative group it first has to release what it holds."""
    members = [
        *twelve({"a": THREE["a"], "b": THREE["b"]}),
        JoinedMember("c", (), {"t": THREE["c"]}),
    ]
    answer = answered(members)
    assert answer.withheld == 4
    assert answer.by_member["c"] == {}


def test_a_change_goes_on_when_another_one_comes() -> None:
    """The target was {a: 0-5, b: 6-11}, for the weights; b has released nothing yet, a has."""
    before = twelve({"a": [0, 1, 2], "b": [3, 4, 6, 7, 8]}, new=["c"])
    going_on = {"a": {"t": [0, 1, 2, 3, 4, 5]}, "b": {"t": [6, 7, 8, 9, 10, 11]}, "gone": {"t": []}}
    answer = answered(before, going_on=going_on)
    held = {name: set(topics["t"]) for name, topics in answer.target.assignment.items()}
    assert answer.moves == 4
    assert held["a"] < {0, 1, 2, 3, 4, 5}
    assert held["b"] < {6, 7, 8, 9, 10, 11}
    assert not {3, 4} & set(answer.by_member["a"]["t"])  # until b has released them
    started_anew = answered(before)
    assert set(started_anew.target.assignment["b"]["t"]) >= {3, 4}
