"""What a member of an eager group owned before, in the `user_data` of its join request.

One encoding for all clients, so that they can share a group under one protocol name::

    "EQ"  version (1 byte)  generation (int32)  number of topics (int32)
    and per topic: length of the name (int16)  name (UTF-8)  count (int32)  partitions (int32 each)
    in version 2:  length of the rack (int16)  rack (UTF-8)

Big-endian; the partitions of a topic ascend. A reader accepts only the versions that it knows:
unreadable data cost no more than a hint. Version 2 is written only for a member with a rack.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from equilag.adapters.kafka.consumer_protocol import BrokenRecord, Cursor

MAGIC: Final = b"EQ"
VERSION: Final = 1
"""Version of this encoding without a rack."""
WITH_RACK: Final = 2
"""Version with a rack."""


class BadUserData(ValueError):
    """User data in another encoding, or damaged."""


@dataclass(frozen=True, slots=True)
class OwnedPartitions:
    """The partitions that a member was last assigned, and their generation (-1: unknown)."""

    partitions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    generation: int = -1

    @staticmethod
    def of(pairs: Iterable[tuple[str, int]], generation: int) -> OwnedPartitions:
        """Return the owned partitions from (topic, partition) pairs."""
        by_topic: dict[str, set[int]] = {}
        for topic, partition in pairs:
            by_topic.setdefault(topic, set()).add(partition)
        return OwnedPartitions(
            {t: tuple(sorted(by_topic[t])) for t in sorted(by_topic)}, generation
        )


class MemberData(NamedTuple):
    """What a member tells the leader."""

    held: OwnedPartitions = OwnedPartitions()
    rack: str | None = None


def encode(held: OwnedPartitions, rack: str | None = None) -> bytes:
    """Return what a member owned, and its rack, as bytes."""
    version = VERSION if rack is None else WITH_RACK
    parts = [MAGIC, struct.pack(">Bii", version, held.generation, len(held.partitions))]
    for topic in sorted(held.partitions):
        numbers = sorted(held.partitions[topic])
        parts += [_text(topic), struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)]
    if rack is not None:
        parts.append(_text(rack))
    return b"".join(parts)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


def decode(data: bytes | None) -> MemberData:
    """Return what a member owned, and its rack; nothing for no data. Raises BadUserData."""
    if not data:
        return MemberData()
    if not data.startswith(MAGIC):
        raise BadUserData(f"starts with {data[: len(MAGIC)]!r}, not with {MAGIC!r}")
    cursor = Cursor(bytes(data[len(MAGIC) :]))
    try:
        return _decode(cursor)
    except BrokenRecord as error:
        raise BadUserData(f"damaged, {len(data)} bytes: {error}") from error


def _decode(cursor: Cursor) -> MemberData:
    version = cursor.int8()
    if version not in (VERSION, WITH_RACK):
        raise BadUserData(f"version {version}, not {VERSION} or {WITH_RACK}")
    generation = cursor.int32()
    if generation < -1:
        raise BadUserData(f"of generation {generation}")
    partitions: dict[str, tuple[int, ...]] = {}
    for topic, numbers in cursor.array(lambda: (cursor.string(), cursor.array(cursor.int32))):
        if not topic or topic in partitions:
            raise BadUserData(f"topic {topic!r} twice" if topic else "a topic without a name")
        if numbers and (numbers[0] < 0 or any(a >= b for a, b in pairwise(numbers))):
            raise BadUserData(f"partitions of {topic!r} do not ascend")
        partitions[topic] = tuple(numbers)
    rack = cursor.string() if version == WITH_RACK else None
    if cursor.rest or rack == "":
        raise BadUserData(f"{cursor.rest} bytes after its end" if rack != "" else "an empty rack")
    return MemberData(OwnedPartitions(partitions, generation), rack)
