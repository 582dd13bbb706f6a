"""The consumer protocol: Kafka's own bytes, and all kinds of damage."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.adapters.kafka import consumer_protocol as protocol
from equilag.adapters.kafka.consumer_protocol import BrokenRecord, Cursor

GOLDEN: Final = {
    name: bytes.fromhex(raw)
    for name, raw in (
        line.split() for line in Path(__file__).with_name("golden.txt").read_text().splitlines()
    )
}
"""Bytes that Kafka 4.4's own classes write, made by tests/support/kafka/GoldenRecords.java."""
READERS: Final[dict[str, Callable[[bytes], Any]]] = {
    "subscription": protocol.read_subscription,
    "subscription-plain": protocol.read_subscription,
    "assignment": protocol.read_assignment,
}


def int16(value: int) -> bytes:
    return struct.pack(">h", value)


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def reader_of(name: str) -> Callable[[bytes], Any]:
    return READERS[name.partition("/")[0]]


def golden(name: str) -> Any:
    return reader_of(name)(GOLDEN[name])


@pytest.mark.parametrize("version", range(4))
def test_what_kafka_writes(version: int) -> None:
    assert golden(f"subscription/v{version}") == protocol.Subscription(
        ["orders", "größe"],
        {"orders": [2, 0]} if version >= 1 else None,
        41 if version >= 2 else None,
        "rack-1" if version >= 3 else None,
    )
    assert golden(f"assignment/v{version}") == {"orders": [2, 0], "größe": [1]}


def test_empty_messages() -> None:
    assert golden("subscription-plain/v3") == protocol.Subscription(["orders"], {}, None, None)
    assert protocol.read_assignment(b"") == {}


def test_a_newer_version_is_read_as_the_newest_known() -> None:
    message = int16(9) + GOLDEN["subscription/v3"][2:] + b"more"
    assert protocol.read_subscription(message) == golden("subscription/v3")
    assigned = int16(9) + GOLDEN["assignment/v3"][2:] + b"more"
    assert protocol.read_assignment(assigned) == golden("assignment/v3")
    with pytest.raises(BrokenRecord, match="version -1 of the consumer protocol"):
        protocol.read_assignment(int16(-1) + assigned)


@pytest.mark.parametrize("name", GOLDEN)
def test_every_truncation(name: str) -> None:
    assert reader_of(name)(GOLDEN[name] + b"\xff\x00") == golden(name)
    # No bytes mean no assignment.
    for size in range(name.startswith("assignment"), len(GOLDEN[name])):
        with pytest.raises(
            BrokenRecord, match=r"expected \d+ more bytes at byte \d+, but it ends at byte"
        ):
            reader_of(name)(GOLDEN[name][:size])


@pytest.mark.parametrize("name", GOLDEN)
@given(data=st.data())
def test_damage_raises_only_broken_record(name: str, data: st.DataObject) -> None:
    raw = bytearray(GOLDEN[name])
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BrokenRecord):
        reader_of(name)(bytes(raw))


def test_a_topic_named_twice_in_an_assignment() -> None:
    topics = (int16(1) + b"t" + int32(1) + int32(number) for number in (4, 2))
    raw = int16(1) + int32(2) + b"".join(topics) + int32(-1)
    assert protocol.read_assignment(raw) == {"t": [4, 2]}


@given(
    st.lists(st.text(max_size=8), max_size=5),
    st.dictionaries(st.text(max_size=8), st.lists(st.integers(0, 2**31 - 1)), max_size=3),
)
def test_what_is_written_is_read(topics: list[str], assigned: dict[str, list[int]]) -> None:
    read = protocol.read_subscription(protocol.write_subscription(topics))
    assert read == protocol.Subscription(topics, {}, None, None)
    assert protocol.read_assignment(protocol.write_assignment(assigned)) == assigned


@pytest.mark.parametrize(
    ("raw", "read", "message"),
    [
        (int32(2**31 - 1), "array", "expected 2147483647 more bytes at byte 4"),  # takes no memory
        (int32(-1), "array", "an array of length -1"),
        (int16(-1), "string", "a null instead of a value"),
        (int16(-2), "string", "a length of -2 before byte 2"),
        (int16(2) + b"\xc3\x28", "string", "not UTF-8 before byte 4"),
    ],
)
def test_impossible_lengths_and_texts(raw: bytes, read: str, message: str) -> None:
    cursor = Cursor(raw + b"x")
    with pytest.raises(BrokenRecord, match=message):
        cursor.string() if read == "string" else cursor.array(lambda: None)
