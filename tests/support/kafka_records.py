"""Writes records of `__consumer_offsets` as Kafka's message schemas say, for tests of the reader.

What Kafka itself writes is in `tests/adapters/kafka/golden.txt`; this is for the many.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID


def int16(value: int) -> bytes:
    return struct.pack(">h", value)


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def int64(value: int) -> bytes:
    return struct.pack(">q", value)


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value: str | None, compact: bool = False) -> bytes:
    if value is None:
        return varint(0) if compact else int16(-1)
    raw = value.encode()
    return (varint(len(raw) + 1) if compact else int16(len(raw))) + raw


def blob(value: bytes | None, compact: bool = False) -> bytes:
    if value is None:
        return varint(0) if compact else int32(-1)
    return (varint(len(value) + 1) if compact else int32(len(value))) + value


def array(items: Iterable[bytes], compact: bool = False) -> bytes:
    parts = list(items)
    return (varint(len(parts) + 1) if compact else int32(len(parts))) + b"".join(parts)


def tagged(fields: Mapping[int, bytes] | None = None) -> bytes:
    fields = fields or {}
    parts = [varint(tag) + varint(len(raw)) + raw for tag, raw in sorted(fields.items())]
    return varint(len(parts)) + b"".join(parts)


# Keys


def commit_key(group: str, topic: str, partition: int) -> bytes:
    return int16(1) + text(group) + text(topic) + int32(partition)


def key(kind: int, *names: str) -> bytes:
    return int16(kind) + b"".join(map(text, names))


# Values


def commit(
    offset: int,
    version: int = 3,
    *,
    epoch: int = -1,
    tags: Mapping[int, bytes] | None = None,
) -> bytes:
    """OffsetCommitValue; the topic id is tag 0."""
    out = int16(version) + int64(offset)
    if version >= 3:
        out += int32(epoch)
    out += text("", version >= 4) + int64(0)
    if version == 1:
        out += int64(1)
    return out + (tagged(tags) if version >= 4 else b"")


def subscription(topics: Iterable[str], version: int = 3, rack: str | None = None) -> bytes:
    """ConsumerProtocolSubscription of a member that owns nothing."""
    out = int16(version) + array(map(text, topics)) + blob(None)
    if version >= 1:
        out += array([])
    if version >= 2:
        out += int32(-1)
    if version >= 3:
        out += text(rack)
    return out


def assignment(owned: Mapping[str, Sequence[int]]) -> bytes:
    """ConsumerProtocolAssignment."""
    topics = array(text(topic) + array(map(int32, ps)) for topic, ps in owned.items())
    return int16(3) + topics + blob(None)


def classic_member(
    member: str, subscribed: bytes, assigned: bytes, version: int = 3, instance: str | None = None
) -> bytes:
    """One of the members in GroupMetadataValue."""
    compact = version >= 4
    out = text(member, compact)
    if version >= 3:
        out += text(instance, compact)
    out += text("client", compact) + text("/host", compact)
    if version >= 1:
        out += int32(300_000)
    out += int32(45_000) + blob(subscribed, compact) + blob(assigned, compact)
    return out + (tagged() if compact else b"")


def classic_group(
    members: Iterable[bytes],
    version: int = 3,
    *,
    protocol_type: str = "consumer",
    generation: int = 1,
    protocol: str | None = "range",
) -> bytes:
    """GroupMetadataValue; `members` as `classic_member` writes them for the same version."""
    compact = version >= 4
    out = int16(version) + text(protocol_type, compact) + int32(generation)
    out += text(protocol, compact) + text(None, compact)
    if version >= 2:
        out += int64(0)
    return out + array(members, compact) + (tagged() if compact else b"")


def consumer_group(epoch: int) -> bytes:
    """ConsumerGroupMetadataValue."""
    return int16(0) + int32(epoch) + tagged({0: int64(1)})


def consumer_member(
    topics: Iterable[str],
    *,
    regex: str | None = None,
    instance: str | None = None,
    rack: str | None = None,
    tags: Mapping[int, bytes] | None = None,
) -> bytes:
    """ConsumerGroupMemberMetadataValue."""
    out = int16(0) + text(instance, True) + text(rack, True) + text("client", True)
    out += text("/host", True) + array((text(topic, True) for topic in topics), True)
    return out + text(regex, True) + int32(300_000) + text(None, True) + tagged(tags)


def _by_id(partitions: Mapping[UUID, Sequence[int]]) -> bytes:
    return array(
        (
            one.bytes + array(map(int32, ps), True) + tagged({0: array(map(int32, ps), True)})
            for one, ps in partitions.items()
        ),
        True,
    )


def current_assignment(
    epoch: int,
    assigned: Mapping[UUID, Sequence[int]],
    revoking: Mapping[UUID, Sequence[int]] | None = None,
) -> bytes:
    """ConsumerGroupCurrentMemberAssignmentValue."""
    out = int16(0) + int32(epoch) + int32(epoch - 1) + b"\x00"
    return out + _by_id(assigned) + _by_id(revoking or {}) + tagged()


def resolved(topics: Iterable[str]) -> bytes:
    """ConsumerGroupRegularExpressionValue."""
    return int16(0) + array((text(t, True) for t in topics), True) + int64(1) + int64(2) + tagged()
