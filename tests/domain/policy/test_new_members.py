"""Groups that more members have joined."""

from __future__ import annotations

from collections import Counter

import pytest

import equilag
from equilag import Group
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY
from equilag.domain.group.member import Member
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import with_added_members
from equilag.planner.compare import compare


def group(*members: Member | str, reads: tuple[str, ...] = ()) -> Group:
    """Members that read the topics of `reads`, one letter each; "ab" of two partitions unless."""
    ids = [member.id if isinstance(member, Member) else member for member in members]
    topics = reads or ("ab",) * len(ids)
    return Group.build(
        name="g",
        topics={"a": 2, "b": 2},
        members=members,
        subscriptions={name: list(read) for name, read in zip(ids, topics, strict=True)},
        owned={ids[0]: {topics[0][0]: [1]}} if topics[0] else {},
        lags={"a": [7, 5], "b": [3, 1]},
        allowed={"a": {"1": [ids[0]]}} if "a" in topics[0] else None,
    )


def test_new_members_own_nothing_and_the_others_keep_what_they_have() -> None:
    old = group("zoe", "ann")
    new = with_added_members(old, 2)
    assert [member.id for member in new.members] == ["ann", "new-1", "new-2", "zoe"]
    assert [new.owner[p] for p in range(4)] == [NOBODY, 3, NOBODY, NOBODY]
    assert new.claim_member.tolist() == [3]
    assert new.allowed == {1: (3,)}
    assert with_added_members(old, None) is old
    assert with_added_members(old, 0) is old


def test_their_names_are_free() -> None:
    new = with_added_members(group("new-1", "x"), 2)
    assert [member.id for member in new.members] == ["new-1", "new-2", "new-3", "x"]


def test_subscriptions_keep_their_share() -> None:
    old = group("m", "n", "o", "p", reads=("a", "a", "b", ""))
    for number in (1, 3, 6, 9):
        new = with_added_members(old, number)
        read = Counter(tuple(new.class_topics[k].tolist()) for k in new.class_of.tolist())
        assert read[()] == 1
        assert abs(read[(0,)] - 2 * read[(1,)]) <= 1, number
        assert sum(read.values()) == 4 + number


def test_they_are_threads_where_most_members_are() -> None:
    old = group(*(Member(f"m{n}", instance=f"p{n // 2}") for n in range(4)))
    new = with_added_members(old, 4)
    instances = Counter(member.instance for member in new.members)
    assert instances == {"p0": 2, "p1": 2, "new-process-1": 2, "new-process-2": 2}


def test_a_plan_with_new_members_is_verified_by_the_snapshot_without_them() -> None:
    old = group("m")
    plan = equilag.solve(old, add_members=3, effort=0.02)
    assert set(plan.assignment) == {"m", "new-1", "new-2", "new-3"}
    assert plan.counts.max == 1
    document = plan.to_dict()
    assert equilag.verify(old, document) == []
    assert equilag.verify(old, plan) == []
    document["policy"]["add_members"] = 2
    assert equilag.verify(old, document) != []


def test_assignors_are_compared_with_the_new_members() -> None:
    comparison = compare(group("m"), add_members=3, effort=0.02)
    spreads = {row.assignor: row.count_spread for row in comparison.rows}
    assert (spreads["round-robin"], spreads["equilag"]) == (0, 0)
    found = compare(group("m"), Policy(add_members=3), effort=0.02).plan
    assert found.group.n_members == 4
    assert equilag.frontier(group("m"), add_members=3, time_limit=0.5)[0].moves == 0


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="add_members: -1 is not a whole number"):
        equilag.solve(group("m"), add_members=-1)
    with pytest.raises(InputError, match="add_members: 1000001 is not a whole number from 0"):
        equilag.solve(group("m"), add_members=1_000_001)
    with pytest.raises(InputError, match="add_members: no member reads a partition"):
        equilag.solve(group("m", reads=("",)), add_members=1)
