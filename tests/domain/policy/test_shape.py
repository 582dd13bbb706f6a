"""Groups with overrides and new members: what becomes of their fields, what does not fit."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

import pytest
from support.extended_groups import ExtendedShape, extended_snapshot, field_sets
from support.groups import columns

import equilag
from equilag import Group, InputError, Member, load_snapshot
from equilag.domain.group.group import NOBODY
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import shape_group, with_added_members
from equilag.planner.compare import compare

GROUP = Group.build(
    name="g",
    topics={"a": 3, "b": 3, "c-2": 2},
    members=[
        Member("m0", client_id="x", host="/10.0.0.1", instance="p"),
        Member("m1", client_id="x", host="/10.0.0.1", capacity=3, instance_id="i1"),
        Member("m2[0]", client_id="y", host="/10.0.0.2", max_partitions=2, rack="r"),
        Member("m3", instance_id="m0"),
    ],
    subscriptions={
        "m0": ["a", "b"], "m1": ["a", "b"], "m2[0]": ["a", "b", "c-2"], "m3": ["a", "b", "c-2"],
    },
    owned={"m0": {"a": [0, 1]}, "m2[0]": {"c-2": [1]}},
    allowed={"a": {2: ["m1", "m3"]}},
    co_partitioned=[["a", "b"]],
)  # fmt: skip


def shaped(**given: Any) -> Group:
    return shape_group(GROUP, Policy(**given))  # type: ignore[typeddict-item]


def test_nothing_given() -> None:
    assert shaped() is GROUP


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [
        ({"*": 2}, [2, 2, 2, 2]),
        ({"m?": 2, "m1": 1}, [2, 1, None, 2]),
        ({"m1": 1, "m?": 2}, [2, 2, None, 2]),
        ({"m2[0]": 5}, [None, 3, 5, None]),
    ],
)
def test_capacities(capacity: Any, expected: list[float | None]) -> None:
    assert [m.capacity for m in shaped(capacity=capacity).members] == expected


def test_the_smaller_limit_counts() -> None:
    assert [m.max_partitions for m in shaped(max_partitions=4).members] == [4, 4, 2, 4]
    some = ["3", "m?=1", "m1=9", "m2*=5"]
    assert [m.max_partitions for m in shaped(max_partitions=some).members] == [1, 9, 2, 1]


@pytest.mark.parametrize(
    ("instances", "expected"),
    [
        ("host", ["/10.0.0.1", "/10.0.0.1", "/10.0.0.2", None]),
        ("client-id", ["x", "x", "y", None]),
        ("none", [None] * 4),
    ],
)
def test_instances(instances: str, expected: list[str | None]) -> None:
    assert [member.instance for member in shaped(instances=instances).members] == expected


def test_lists_in_place_of_the_groups_own() -> None:
    assert shaped(co_partition=["b,a"]).co_partitioned == ((1, 0),)
    assert shaped(keep=["a"]).co_partitioned == ((0, 1),)
    assert shaped(co_partition="none").co_partitioned == ()


@pytest.mark.parametrize(
    ("pins", "expected"),
    [
        (["a-0=m1"], {0: (1,)}),
        (["a-0=m0"], {0: (0,)}),  # a member's id, not an instance id
        (["a-0=i1"], {0: (1,)}),
        (["a-0=x", "b-2=y"], {0: (0, 1), 5: (2,)}),
        (["c-2-1=m3"], {7: (3,)}),
        (["a-2=x"], {2: (1,)}),  # what the group allows, and the pin
    ],
)
def test_pins(pins: list[str], expected: dict[int, tuple[int, ...]]) -> None:
    assert shaped(pin=pins).allowed == {2: (1, 3), **expected}
    assert GROUP.allowed == {2: (1, 3)}


def test_kept_topics() -> None:
    assert shaped(keep=["a", "c-2"]).allowed == {0: (0,), 1: (0,), 2: (1, 3), 7: (2,)}
    assert shaped(keep=["a"], pin=["a-1=x"]).allowed == {0: (0,), 1: (0,), 2: (1, 3)}


def test_overrides_say_what_the_fields_of_a_group_say() -> None:
    rng, told = Random(5), 0
    for fields in islice(field_sets(rng), 200):
        snapshot = extended_snapshot(rng, ExtendedShape(fields=fields - {"instance"}))
        bare, given = without_fields(snapshot)
        group = shape_group(load_snapshot(bare), Policy(**given))
        assert columns(group) == columns(load_snapshot(snapshot))
        told += bool(given)
    assert told > 100


def without_fields(snapshot: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A snapshot without what overrides can say of every member or partition by itself, and what
    they say; of `allowed` only pins to one member."""
    allowed = snapshot.pop("allowed", {})
    pins = {
        (topic, int(number)): ids[0]
        for topic, numbers in allowed.items()
        for number, ids in numbers.items()
        if len(ids) == 1
    }
    if pins:
        snapshot["allowed"] = {}
        for (topic, number), name in pins.items():
            snapshot["allowed"].setdefault(topic, {})[str(number)] = [name]
    bare = copy.deepcopy(snapshot)
    bare.pop("allowed", None)
    capacity = {
        member["id"]: number
        for member in bare["members"]
        if (number := member.pop("capacity", None)) is not None
    }
    given = {"pin": pins, "capacity": capacity, "co_partition": bare.pop("co_partitioned", [])}
    limits = {member.get("max_partitions") for member in bare["members"]}
    if len(limits) == 1:
        for member in bare["members"]:
            given["max_partitions"] = member.pop("max_partitions", None)
    return bare, {name: value for name, value in given.items() if value not in (None, {}, [])}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"capacity": {"n*": 1}}, 'no member\'s id is "n*"'),
        ({"capacity": {"m11": 1}}, 'did you mean "m1"?'),
        ({"co_partition": ["a,bb"]}, '"bb" is not in topics, did you mean "b"?'),
        ({"co_partition": ["a,c-2"]}, '"c-2" has 2 partitions, "a" 3'),
        ({"co_partition": ["a,b", "b,a"]}, '"b" is in another list as well'),
        ({"pin": ["d-0=m0"]}, 'there is no topic "d"'),
        ({"pin": ["a-3=m0"]}, "a-3 does not exist; a has 3 partitions"),
        ({"pin": ["a-0=m9"]}, 'no member has the id, instance id or client id "m9"'),
        ({"pin": ["c-2-0=x"]}, '"x" does not subscribe to "c-2"'),
        ({"pin": ["a-2=m0"]}, '"m0" is not among the members that a-2 allows'),
        ({"keep": ["aa"]}, 'there is no topic "aa", did you mean "a"?'),
        ({"keep": ["a"], "pin": ["a-1=m1"]}, '"m0" owns a-1, which is pinned or allowed to others'),
    ],
)
def test_what_does_not_fit_the_group(given: Any, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        shaped(**given)
    assert caught.value.place == next(iter(given))
    assert problem in caught.value.problem


def test_threads_of_one_host_must_be_alike() -> None:
    first, second, third, last = GROUP.members
    group = replace(GROUP, members=(first, second, replace(third, host="/10.0.0.1"), last))
    with pytest.raises(InputError, match=r"same host, .*, but not the same subscription"):
        shape_group(group, Policy(instances="host"))
    group = replace(GROUP, members=(first, replace(second, rack="s"), third, last))
    with pytest.raises(InputError, match='"m0" and "m1" have the same client-id, "x", but not the'):
        shape_group(group, Policy(instances="client-id"))
    bare = tuple(Member(member.id) for member in GROUP.members)
    with pytest.raises(InputError, match="no member's host is known"):
        shape_group(replace(GROUP, members=bare), Policy(instances="host"))


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
