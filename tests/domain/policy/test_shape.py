"""Groups with overrides: what becomes of their fields, and what does not fit a group."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

import pytest
from support.extended_groups import ExtendedShape, extended_snapshot, field_sets
from support.groups import columns

from equilag import Group, InputError, Member, load_snapshot
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import shape_group

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
