"""The state from the records of a partition: what counts, what is skipped and counted. No
broker."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import pytest
import support.kafka_records as write
from hypothesis import given
from hypothesis import strategies as st

from equilag.adapters.kafka.described import DescribedMember
from equilag.adapters.kafka.group_state import GroupState, keep, read_state

ORDERS: Final = UUID(int=1)
USERS: Final = UUID(int=2)
GONE: Final = UUID(int=3)
NAMES: Final = {ORDERS: "orders", USERS: "users"}

GROUP: Final = 2
CONSUMER_GROUP: Final = 3
MEMBER: Final = 5
CURRENT: Final = 8
REGEX: Final = 16

AT: Final = "client", "host"
"""Client id and host of every member that `kafka_records` writes, without the slash of brokers."""

Record = tuple[bytes, bytes | None]


def read(*records: Record) -> GroupState:
    return read_state(records, NAMES)


def classic(group: str, members: list[bytes], **settings: object) -> Record:
    return write.key(GROUP, group), write.classic_group(members, **settings)  # type: ignore[arg-type]


def member(name: str, topics: list[str], owned: dict[str, list[int]]) -> bytes:
    return write.classic_member(name, write.subscription(topics), write.assignment(owned))


def test_the_last_commit_counts() -> None:
    key = write.commit_key("g", "orders", 0)
    state = read(
        (key, write.commit(5)),
        (write.commit_key("g", "orders", 1), write.commit(7, epoch=3)),
        (key, write.commit(9)),
    )
    assert state.commits == {"g": {("orders", 1): 7, ("orders", 0): 9}}
    assert (state.groups, state.not_understood) == ({"g"}, {})


def test_tombstones_delete() -> None:
    commit, group = write.commit_key("g", "orders", 0), write.key(GROUP, "g")
    alive = classic("g", [member("m", ["orders"], {"orders": [0]})])
    dead = [(commit, None), (group, None)]
    assert read((commit, write.commit(5)), alive, *dead) == read()
    state = read((commit, write.commit(5)), alive, *dead, (commit, write.commit(6)))
    assert state.commits == {"g": {("orders", 0): 6}}
    assert state.members == {}


@given(st.lists(st.tuples(st.integers(0, 4), st.none() | st.integers(0, 99)), max_size=30))
def test_survivors_are_the_last_of_each_key_in_order(records: list[tuple[int, int | None]]) -> None:
    survivors: dict[bytes, bytes] = {}
    for key, value in records:
        keep(survivors, bytes([key]), None if value is None else bytes([value]))
    last = {key: at for at, (key, _) in enumerate(records)}
    expected = [
        (bytes([key]), bytes([value]))
        for at, (key, value) in enumerate(records)
        if last[key] == at and value is not None
    ]
    assert list(survivors.items()) == expected


@pytest.mark.parametrize("version", range(5))
def test_a_classic_group(version: int) -> None:
    subscription = write.subscription(["users", "orders", "users"], rack="r1")
    first = write.classic_member(
        "m1",
        subscription,
        write.assignment({"users": [3, 1], "orders": [0], "none": []}),
        version,
        "i1",
    )
    second = write.classic_member("m2", write.subscription(["users"], 0), b"", version)
    state = read(classic("g", [first, second], version=version, generation=8))
    instance = "i1" if version >= 3 else None
    owned = {"orders": [0], "users": [1, 3]}
    assert state.members["g"] == [
        DescribedMember("m1", ("orders", "users"), None, owned, "r1", instance, 8, *AT),
        DescribedMember("m2", ("users",), None, {}, None, None, 8, *AT),
    ]
    assert state.groups == {"g"}
    assert state.not_understood == state.unreadable == {}


@pytest.mark.parametrize("protocol_type", ["consumer", ""])
def test_a_group_without_members(protocol_type: str) -> None:
    state = read(classic("g", [], protocol=None, protocol_type=protocol_type))
    assert (state.groups, state.members) == ({"g"}, {})


def test_groups_of_other_protocol_types() -> None:
    one = write.classic_member("w", b"whatever", b"connect writes")
    state = read(
        classic("connect-a", [one], protocol_type="connect"),
        classic("connect-b", [one], protocol_type="connect"),
        classic("g", [member("m", ["orders"], {})]),
    )
    reason = 'group of the protocol type "connect"'
    assert state.not_understood == {reason: 2}
    assert state.unreadable == {"connect-a": reason, "connect-b": reason}
    assert [*state.members] == ["g"]


def test_an_unreadable_member_makes_its_group_unreadable() -> None:
    odd = write.classic_member("odd", b"\x00", b"")
    state = read(
        classic("g", [member("m", ["orders"], {}), odd]),
        classic("h", [member("m", ["orders"], {})]),
    )
    reason = "broken consumer protocol message of a member"
    assert (state.unreadable, state.not_understood) == ({"g": reason}, {reason: 1})
    assert [*state.members] == ["h"]


def test_a_consumer_group() -> None:
    state = read(
        (write.key(MEMBER, "g", "m2"), write.consumer_member(["users", "orders"], rack="r1")),
        (write.key(MEMBER, "g", "m1"), write.consumer_member(["users"], instance="i1")),
        (write.key(CONSUMER_GROUP, "g"), write.consumer_group(4)),
        (write.key(MEMBER, "g", "carrier"), write.consumer_member(["no-topic"], rack="equilag:x")),
        (write.key(4, "g"), b"not read"),
        (write.key(6, "g"), b"not read"),
        (write.key(7, "g", "m1"), b"not read"),
        (write.key(CURRENT, "g", "m1"), write.current_assignment(3, {USERS: [2, 0]})),
        (
            write.key(CURRENT, "g", "m2"),
            write.current_assignment(4, {ORDERS: [0], USERS: []}, {USERS: [1]}),
        ),
    )
    assert state.members["g"] == [
        DescribedMember("m1", ("users",), None, {"users": [0, 2]}, None, "i1", 3, *AT),
        DescribedMember("m2", ("orders", "users"), None, {"orders": [0]}, "r1", None, 4, *AT),
    ]
    assert state.groups == {"g"}
    assert state.not_understood == state.unreadable == {}


def test_a_member_that_has_just_joined_or_may_come_back() -> None:
    """The first owns nothing; a static one keeps its share, and its epoch is -2 until then."""
    member = write.key(MEMBER, "g", "m"), write.consumer_member(["users"], instance="i")
    (joined,) = read(member).members["g"]
    assert (joined.owned, joined.generation) == ({}, None)
    share = write.key(CURRENT, "g", "m"), write.current_assignment(-2, {USERS: [1]})
    (away,) = read(member, share).members["g"]
    assert (away.owned, away.generation) == ({"users": [1]}, None)


def test_a_regular_expression() -> None:
    subscribed = write.key(MEMBER, "g", "m"), write.consumer_member(["a"], regex="o.*")
    known = write.key(REGEX, "g", "o.*"), write.resolved(["orders", "others"])
    (one,) = read(subscribed, known).members["g"]
    assert one.topics == ("a", "orders", "others")
    # Another group's expression does not count.
    state = read(subscribed, (write.key(REGEX, "h", "o.*"), write.resolved(["x"])))
    assert state.members["g"][0].topics == ("a",)
    assert state.not_understood == {"subscription by a regular expression not yet resolved": 1}


def test_ids_of_deleted_topics() -> None:
    state = read(
        (write.key(MEMBER, "g", "m"), write.consumer_member(["users"])),
        (write.key(CURRENT, "g", "m"), write.current_assignment(3, {USERS: [2], GONE: [0, 1]})),
        (write.commit_key("g", "users", 0), write.commit(1, 4, tags={0: USERS.bytes})),
        (write.commit_key("g", "users", 1), write.commit(1, 4, tags={0: GONE.bytes})),
        (write.commit_key("g", "users", 2), write.commit(1, 4, tags={0: ORDERS.bytes})),
        (write.commit_key("g", "unseen", 0), write.commit(1, 4)),
        (write.commit_key("g", "users", 3), write.commit(1, 4, tags={0: bytes(16)})),
    )
    assert state.members["g"][0].owned == {"users": [2]}
    assert [*state.commits["g"]] == [("users", 0), ("unseen", 0), ("users", 3)]
    assert state.not_understood == {
        "assigned topic id that does not exist (any more)": 1,
        "offset commit for a topic id that does not exist (any more)": 2,
    }


def test_records_of_other_kinds_of_groups_are_counted_by_name() -> None:
    state = read(
        (write.key(11, "s1"), b"x"),
        (write.key(11, "s2"), b"x"),
        (write.key(10, "s1", "m"), b"x"),
        (write.key(17, "t"), b"x"),
        (write.key(77, "?"), b"x"),
        (b"\x00", b"x"),
    )
    assert state.not_understood == {
        "broken key": 1,
        "share group member metadata (key 10)": 1,
        "share group metadata (key 11)": 2,
        "streams group metadata (key 17)": 1,
        "unknown record (key 77)": 1,
    }
    assert set(state.unreadable) == state.groups == {"s1", "s2", "t"}


def test_newer_and_broken_values_are_counted_and_their_groups_named() -> None:
    state = read(
        (write.commit_key("a", "users", 0), write.int16(5) + b"later"),
        (write.commit_key("a", "users", 1), write.int16(5) + b"later"),
        (write.key(GROUP, "b"), write.int16(5) + b"later"),
        (write.key(MEMBER, "c", "m"), write.int16(1) + b"later"),
        (write.key(MEMBER, "c", "n"), write.consumer_member(["users"])),
        (write.key(CONSUMER_GROUP, "c"), write.consumer_group(4)),
        (write.key(CURRENT, "d", "m"), write.int16(0)),
        (write.commit_key("e", "users", 1), b""),
    )
    assert state.not_understood == {
        "broken consumer group current member assignment record": 1,
        "broken offset commit record": 1,
        "consumer group member metadata value v1": 1,
        "group metadata value v5": 1,
        "offset commit value v5": 2,
    }
    assert state.unreadable == {
        "a": "offset commit value v5",
        "b": "group metadata value v5",
        "c": "consumer group member metadata value v1",
        "d": "broken consumer group current member assignment record",
        "e": "broken offset commit record",
    }
    assert (state.commits, state.members) == ({}, {})
