"""The encoding of owned partitions: round trips, and refusal of all other data."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.live.consumers.user_data import BadUserData, OwnedPartitions, decode, encode

partitions = st.sets(st.integers(0, 2**31 - 1), max_size=5).map(lambda s: tuple(sorted(s)))
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
helds = st.builds(
    OwnedPartitions, st.dictionaries(names, partitions, max_size=4), st.integers(-1, 2**31 - 1)
)

HEAD = b"EQ\x01" + struct.pack(">ii", 7, 1)
ONE = HEAD + b"\x00\x01t" + struct.pack(">iii", 2, 0, 3)


@given(helds, names | st.none())
def test_round_trip(held: OwnedPartitions, rack: str | None) -> None:
    assert decode(encode(held, rack)) == (held, rack)


def test_the_bytes() -> None:
    held = OwnedPartitions({"t": (0, 3)}, 7)
    assert encode(held) == ONE
    assert encode(held, "r1") == b"EQ\x02" + ONE[3:] + b"\x00\x02r1"


@pytest.mark.parametrize("data", [None, b""])
def test_no_user_data_means_no_owned_partitions(data: bytes | None) -> None:
    assert decode(data) == (OwnedPartitions(), None)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"E", "starts with"),
        (b"XX" + ONE[2:], "starts with"),
        (b"EQ\x03" + ONE[3:], "version 3"),
        (b"EQ\x02" + ONE[3:], "damaged"),
        (b"EQ\x02" + ONE[3:] + b"\x00\x00", "an empty rack"),
        (ONE + b"\x00", "1 bytes after"),
        (b"EQ\x01" + struct.pack(">ii", 7, -1), "an array of length -1"),
        (b"EQ\x01" + struct.pack(">ii", -2, 0), "generation -2"),
        (b"EQ\x01" + struct.pack(">ii", 7, 2) + ONE[11:] * 2, "topic 't' twice"),
        (HEAD + b"\x00\x00" + struct.pack(">i", 0), "a topic without a name"),
        (HEAD + b"\xff\xff" + struct.pack(">i", 0), "a null"),
        (HEAD + b"\x00\x09t", "expected 9 more bytes"),
        (HEAD + b"\x00\x01\xff" + struct.pack(">i", 0), "damaged"),
        (HEAD + b"\x00\x01t" + struct.pack(">i", 2**30), "more bytes"),
        (HEAD + b"\x00\x01t" + struct.pack(">i", -1), "an array of length -1"),
        (HEAD + b"\x00\x01t" + struct.pack(">iii", 2, 3, 3), "do not ascend"),
        (HEAD + b"\x00\x01t" + struct.pack(">ii", 1, -1), "do not ascend"),
    ],
)
def test_other_data_are_refused(data: bytes, why: str) -> None:
    with pytest.raises(BadUserData, match=why):
        decode(data)


@pytest.mark.parametrize("length", range(1, len(ONE)))
def test_truncated_data(length: int) -> None:
    with pytest.raises(BadUserData):
        decode(ONE[:length])


@given(st.binary(max_size=60))
def test_random_bytes_raise_only_bad_user_data(noise: bytes) -> None:
    with suppress(BadUserData):
        decode(HEAD + noise)
