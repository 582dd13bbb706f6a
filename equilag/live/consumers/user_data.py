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

MAGIC: Final = b"EQ"
VERSION: Final = 1
"""Version of this encoding without a rack."""
WITH_RACK: Final = 2
"""Version with a rack."""

_HEAD: Final = struct.Struct(">2sBii")
_SHORT: Final = struct.Struct(">h")
_INT: Final = struct.Struct(">i")


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
    parts = [_HEAD.pack(MAGIC, version, held.generation, len(held.partitions))]
    for topic in sorted(held.partitions):
        numbers = sorted(held.partitions[topic])
        parts += [_text(topic), struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)]
    if rack is not None:
        parts.append(_text(rack))
    return b"".join(parts)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _SHORT.pack(len(encoded)) + encoded


def decode(data: bytes | None) -> MemberData:
    """Return what a member owned, and its rack; nothing for no data. Raises BadUserData."""
    if not data:
        return MemberData()
    try:
        return _decode(bytes(data))
    except (struct.error, UnicodeDecodeError) as error:
        raise BadUserData(f"damaged, {len(data)} bytes: {error}") from error


def _decode(data: bytes) -> MemberData:
    magic, version, generation, topics = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise BadUserData(f"starts with {magic!r}, not with {MAGIC!r}")
    if version not in (VERSION, WITH_RACK):
        raise BadUserData(f"version {version}, not {VERSION} or {WITH_RACK}")
    if topics < 0 or generation < -1:
        raise BadUserData(f"{topics} topics of generation {generation}")
    at, partitions = _HEAD.size, dict[str, tuple[int, ...]]()
    for _ in range(topics):
        topic, numbers, at = _topic(data, at)
        if topic in partitions:
            raise BadUserData(f"topic {topic!r} twice")
        partitions[topic] = numbers
    rack = None
    if version == WITH_RACK:
        rack, at = _read_text(data, at)
    if at != len(data):
        raise BadUserData(f"{len(data) - at} bytes after its end")
    return MemberData(OwnedPartitions(partitions, generation), rack)


def _topic(data: bytes, at: int) -> tuple[str, tuple[int, ...], int]:
    """Return a topic's name and partitions, and the position of the next topic."""
    name, at = _read_text(data, at)
    (count,) = _INT.unpack_from(data, at)
    at += _INT.size
    if not 0 <= count <= (len(data) - at) // _INT.size:
        raise BadUserData(f"{count} partitions in {len(data) - at} bytes")
    numbers = struct.unpack_from(f">{count}i", data, at)
    if count and (numbers[0] < 0 or any(a >= b for a, b in pairwise(numbers))):
        raise BadUserData(f"partitions of {name!r} do not ascend")
    return name, numbers, at + count * _INT.size


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    """Return a name, and the position after it."""
    (length,) = _SHORT.unpack_from(data, at)
    at += _SHORT.size
    name = data[at : at + length] if length > 0 else b""
    if len(name) != length or not name:
        raise BadUserData(f"a name of {length} bytes")
    return name.decode(), at + length
