"""Decoding keys and values: Kafka's own bytes, round trips, and all kinds of damage."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest
import support.kafka_records as write
from hypothesis import given
from hypothesis import strategies as st

from equilag.adapters.kafka.codec import consumer_protocol as protocol
from equilag.adapters.kafka.codec.records import (
    Key,
    UnknownVersion,
    read_key,
    read_value,
    topic_id_of,
)
from equilag.adapters.kafka.codec.wire import BrokenRecord, Cursor

ORDERS: Final = UUID("01020304-0506-0708-090a-0b0c0d0e0f10")
GOLDEN: Final = {
    name: bytes.fromhex(raw)
    for name, raw in (
        line.split() for line in Path(__file__).with_name("golden.txt").read_text().splitlines()
    )
}
"""Bytes that Kafka 4.4's own classes write, made by tests/support/kafka/GoldenRecords.java."""

KINDS: Final = {
    "legacy": 1,
    "commit": 1,
    "commit-plain": 1,
    "group": 2,
    "group-empty": 2,
    "consumer-group": 3,
    "consumer-member": 5,
    "consumer-member-classic": 5,
    "current-assignment": 8,
    "resolved": 16,
}
READERS: Final[dict[str, Callable[[bytes], Any]]] = {
    "key": read_key,
    "subscription": protocol.read_subscription,
    "subscription-plain": protocol.read_subscription,
    "assignment": protocol.read_assignment,
    **{name: partial(read_value, kind) for name, kind in KINDS.items()},
}


def golden(name: str) -> Any:
    return READERS[name.partition("/")[0]](GOLDEN[name])


def test_keys() -> None:
    assert golden("key/0")[1:] == golden("key/1")[1:] == ("g", "orders", 3)
    for kind, name in {2: "", 3: "", 5: "m", 8: "m", 16: "or.*", 11: "", 23: ""}.items():
        assert golden(f"key/{kind}") == Key(kind, "g", name)
    assert golden("key/10").record_name == "share group member metadata (key 10)"


@pytest.mark.parametrize("version", range(5))
def test_commits(version: int) -> None:
    commit = golden(f"commit/v{version}")
    assert (commit["offset"], topic_id_of(commit)) == (
        2**40,
        ORDERS.bytes if version >= 4 else None,
    )


@pytest.mark.parametrize("version", range(5))
def test_classic_groups(version: int) -> None:
    read = golden(f"group/v{version}")
    assert (read["protocol_type"], read["generation"]) == ("consumer", 42)
    names = ("member", "instance_id", "client_id", "host", "subscription", "assignment")
    message, assigned = GOLDEN["subscription/v3"], GOLDEN["assignment/v3"]
    instance = "static-1" if version >= 3 else None
    assert [tuple(map(member.get, names)) for member in read["members"]] == [
        ("m-1", instance, "c", "/127.0.0.1", message, assigned),
        ("m-2", None, "", "/127.0.0.1", message, b""),
    ]
    empty = golden(f"group-empty/v{version}")
    assert (empty["generation"], empty["members"]) == (43, [])


@pytest.mark.parametrize("version", range(4))
def test_consumer_protocol(version: int) -> None:
    assert golden(f"subscription/v{version}") == protocol.Subscription(
        ["orders", "größe"],
        {"orders": [2, 0]} if version >= 1 else None,
        41 if version >= 2 else None,
        "rack-1" if version >= 3 else None,
    )
    assert golden(f"assignment/v{version}") == {"orders": [2, 0], "größe": [1]}


def test_empty_messages_of_the_consumer_protocol() -> None:
    assert golden("subscription-plain/v3") == protocol.Subscription(["orders"], {}, None, None)
    assert protocol.read_assignment(b"") == {}


def test_a_newer_consumer_protocol_is_read_as_the_newest_known() -> None:
    message = write.int16(9) + GOLDEN["subscription/v3"][2:] + b"more"
    assert protocol.read_subscription(message) == golden("subscription/v3")
    assigned = write.int16(9) + GOLDEN["assignment/v3"][2:] + b"more"
    assert protocol.read_assignment(assigned) == golden("assignment/v3")


def test_consumer_groups() -> None:
    assert golden("consumer-group/v0")["epoch"] == 12
    names = ("instance_id", "rack", "client_id", "host", "topics", "regex")
    at = "c", "/127.0.0.1"
    both, classic = golden("consumer-member/v0"), golden("consumer-member-classic/v0")
    assert [*map(both.get, names)] == ["static-1", "rack-1", *at, ["orders", "größe"], "or.*"]
    assert [*map(classic.get, names)] == [None, None, *at, ["orders"], None]
    current = golden("current-assignment/v0")
    assert current["epoch"] == 12
    assert partitions_of(current) == {ORDERS: [2, 0]}
    assert golden("resolved/v0")["topics"] == ["orders", "größe"]


def partitions_of(current: dict[str, Any]) -> dict[UUID, list[int]]:
    return {one["topic_id"]: one["partitions"] for one in current["assigned"]}


# Of records that are only counted, only the group is read.
@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in ("key/7", "key/10")])
def test_every_truncation(name: str) -> None:
    reader, whole = READERS[name.partition("/")[0]], GOLDEN[name]
    reader(whole)
    # No bytes mean no assignment.
    for size in range(name.startswith("assignment"), len(whole)):
        with pytest.raises(
            BrokenRecord, match=r"expected \d+ more bytes at byte \d+, but it ends at byte"
        ):
            reader(whole[:size])


@pytest.mark.parametrize("name", GOLDEN)
def test_trailing_bytes_are_ignored(name: str) -> None:
    reader = READERS[name.partition("/")[0]]
    assert reader(GOLDEN[name] + b"\xff\x00") == golden(name)


@pytest.mark.parametrize("name", [name for name in GOLDEN if not name.startswith("key")])
@given(data=st.data())
def test_damage_raises_only_broken_record(name: str, data: st.DataObject) -> None:
    raw = bytearray(GOLDEN[name])
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BrokenRecord, UnknownVersion):
        READERS[name.partition("/")[0]](bytes(raw))


@pytest.mark.parametrize(
    ("name", "newer", "message"),
    [
        ("commit/v4", 5, "offset commit value v5"),
        ("commit/v4", -1, "offset commit value v-1"),
        ("group/v4", 5, "group metadata value v5"),
        ("consumer-group/v0", 1, "consumer group metadata value v1"),
        ("consumer-member/v0", 1, "consumer group member metadata value v1"),
        ("current-assignment/v0", 1, "consumer group current member assignment value v1"),
        ("resolved/v0", 300, "consumer group regular expression value v300"),
    ],
)
def test_unknown_versions(name: str, newer: int, message: str) -> None:
    with pytest.raises(UnknownVersion, match=f"^{message}$"):
        READERS[name.partition("/")[0]](write.int16(newer) + GOLDEN[name][2:])


# Lengths around one byte of a varint, and of 127 + 1 characters.
names = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(["x" * 126, "y" * 127])
int32s = st.integers(0, 2**31 - 1)
ids = st.uuids()
tags = st.dictionaries(st.integers(1, 2**20), st.binary(max_size=200), max_size=3)
"""Tags that no version uses yet."""


@given(
    st.lists(names, max_size=200),
    st.none() | names.filter(bool),
    st.none() | names,
    st.dictionaries(ids, st.lists(int32s, max_size=200), max_size=3),
    tags,
)
def test_consumer_groups_round_trip(
    topics: list[str],
    regex: str | None,
    rack: str | None,
    has: dict[UUID, list[int]],
    unknown: dict[int, bytes],
) -> None:
    member = read_value(5, write.consumer_member(topics, regex=regex, rack=rack, tags=unknown))
    assert [member[name] for name in ("topics", "regex", "rack")] == [topics, regex, rack]
    assert partitions_of(read_value(8, write.current_assignment(5, has, has))) == has
    assert read_value(16, write.resolved(topics))["topics"] == topics


def test_an_invalid_topic_id() -> None:
    with pytest.raises(BrokenRecord, match="a topic id of 3 bytes"):
        topic_id_of(read_value(1, write.commit(1, 4, tags={0: b"abc"})))


def test_a_topic_named_twice_in_an_assignment() -> None:
    raw = write.int16(1) + write.array(
        write.text("t") + write.array([write.int32(p)]) for p in (4, 2)
    )
    assert protocol.read_assignment(raw + write.blob(None)) == {"t": [4, 2]}


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (2**31 - 1, "expected 2147483647 more bytes at byte 4"),  # takes no memory
        (-1, "an array of length -1"),
        (-5, "an array of length -5"),
    ],
)
def test_impossible_arrays(length: int, message: str) -> None:
    with pytest.raises(BrokenRecord, match=message):
        Cursor(write.int32(length) + b"x").array(lambda: None)


@pytest.mark.parametrize(
    ("method", "raw", "message"),
    [
        ("string", write.int16(-1), "a null instead of a value"),
        ("string", write.int16(-2), "a length of -2 before byte 2"),
        ("string", write.int16(2) + b"\xc3\x28", "not UTF-8 at byte 2"),
        ("compact_string", b"\x00", "a null instead of a value"),
        ("blob", write.int32(-1), "a null instead of a value"),
        ("unsigned_varint", b"\xff" * 6, "a varint of more than 5 bytes"),
    ],
)
def test_impossible_values(method: str, raw: bytes, message: str) -> None:
    with pytest.raises(BrokenRecord, match=message):
        getattr(Cursor(raw), method)()


@given(st.integers(0, 2**35 - 1))
def test_varints(value: int) -> None:
    cursor = Cursor(write.varint(value))
    assert cursor.unsigned_varint() == value
    assert cursor.rest == 0
