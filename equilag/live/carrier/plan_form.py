"""A plan as the broker plug-in reads it: pieces of text, one for the rack id of each carrier.

The form, version 1; integers are big-endian. A piece is `equilag:` and base64url, without padding,
of: version (1 byte), number of the plan (8), number of pieces (1), tag (32), this piece's number
from 0 (1), and its part of the deflated plan. The tag is HMAC-SHA-256, without a key SHA-256, of
the first ten bytes and the deflated plan.

Inflated (zlib) a plan is: digest of the members (16 bytes), digest of the topics (16), the low
bytes of the numbers of all partitions' members, then the high bytes. Members ascend by the UTF-8
bytes of their ids, topics by the bytes of theirs. The digests are the first half of SHA-256 of: for
each member the length of its id (4 bytes) and the id; for each topic its id (16) and the number of
its partitions (4). So a plan fits one set of members, topics and sizes, and needs no names.

The reader is `broker-plugin/`; `broker-plugin/src/test/resources/plans.txt` has what both agree on.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from equilag.adapters.kafka.described import CARRIER_RACK
from equilag.domain.errors import InputError

MAX_RACK: Final = 32_767
"""Bytes of a rack id that brokers accept."""

_VERSION: Final = 1
_SIGNED: Final = struct.Struct(">BQB")
_SHA256_BYTES: Final = 32
_ROOM: Final = (MAX_RACK - len(CARRIER_RACK)) * 3 // 4 - _SIGNED.size - _SHA256_BYTES - 1
"""Bytes of a deflated plan in one piece."""
MAX_PIECES: Final = 255
"""Carriers of a plan."""
_MAX_MEMBERS: Final = 1 << 16
_DIGEST: Final = 16


def plan_pieces(
    assigned: Mapping[str, Mapping[UUID, Iterable[int]]],
    topics: Mapping[UUID, int],
    number: int,
    key: bytes = b"",
    least: int = 1,
) -> list[str]:
    """Return the pieces of a plan, `least` of them at least.

    `assigned` has all members of the group that are no carriers, those without partitions too;
    `topics` the number of partitions of each topic that a member is subscribed to. `number` is the
    plan's own, from 0 to 2⁶⁴ − 1. `key` is that of the brokers' property `equilag.plan.key`, empty
    for none. Raises InputError if not every partition is assigned once, or for too large a group.
    """
    members = sorted(assigned, key=str.encode)
    order = sorted(topics, key=lambda topic: topic.bytes)
    if len(members) > _MAX_MEMBERS:
        raise InputError(f"{len(members)} members are more than a plan can have")
    owners = _owners([assigned[member] for member in members], {one: topics[one] for one in order})
    deflated = zlib.compress(
        b"".join(
            (
                _digest(_sized(member.encode()) for member in members),
                _digest(topic.bytes + struct.pack(">I", topics[topic]) for topic in order),
                (owners & 0xFF).astype(np.uint8).tobytes(),
                (owners >> 8).astype(np.uint8).tobytes(),
            )
        ),
        level=9,
    )
    count = max(least, -(-len(deflated) // _ROOM))
    if count > MAX_PIECES:
        raise InputError(f"{count} carriers are more than a plan can have")
    signed = _SIGNED.pack(_VERSION, number, count)
    common = signed + _tag(signed + deflated, key)
    bounds = [len(deflated) * at // count for at in range(count + 1)]
    return [
        _text(common + bytes([at]) + deflated[bounds[at] : bounds[at + 1]]) for at in range(count)
    ]


def _owners(
    shares: Iterable[Mapping[UUID, Iterable[int]]], topics: Mapping[UUID, int]
) -> NDArray[np.int64]:
    """Return the number of each partition's member, partitions in the order of `topics`."""
    ends = np.cumsum([0, *topics.values()])
    first = dict(zip(topics, ends.tolist(), strict=False))
    owners = np.full(ends[-1], -1)
    for member, share in enumerate(shares):
        for topic, partitions in share.items():
            for partition in partitions:
                if not 0 <= partition < topics.get(topic, 0):
                    raise InputError(f"there is no partition {partition} of topic {topic}")
                if owners[first[topic] + partition] >= 0:
                    raise InputError(f"two members have partition {partition} of topic {topic}")
                owners[first[topic] + partition] = member
    if missing := int((owners < 0).sum()):
        raise InputError(f"{missing} partitions have no member")
    return owners


def _digest(parts: Iterable[bytes]) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()[:_DIGEST]


def _sized(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _tag(data: bytes, key: bytes) -> bytes:
    return hmac.digest(key, data, "sha256") if key else hashlib.sha256(data).digest()


def _text(piece: bytes) -> str:
    return CARRIER_RACK + urlsafe_b64encode(piece).decode().rstrip("=")
