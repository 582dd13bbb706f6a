"""Which member of a classic group leads next: the first one in the coordinator's hash table.

Kafka keeps the members in a hash map by member id. When the leader leaves, it makes the first one
in the map's order the leader (`ClassicGroup.remove` in Kafka 4). A static member that joins without
a member id gets a new one, and nobody else notices. So a follower can join until it is the first.
With another order on the broker it only does not lead next.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

MAX_TRIES: Final = 32
"""Joins of a follower in one generation. In a table of 16 buckets whose first one is empty, one in
16 makes it the first or better. Each writes the group's metadata to the broker's log once."""
_MIN_BUCKETS: Final = 16
_LOAD: Final = 0.75
"""Size and load of a java.util.HashMap: it doubles its size when more of it is in use."""


def leads_next(member: str, leader: str, members: Collection[str]) -> bool | None:
    """Return True if `member` is the first of all but the leader, False if another member id could
    make it so, None if none can."""
    buckets = _MIN_BUCKETS
    while len(members) > _LOAD * buckets:
        buckets *= 2
    others = [_hash(one) % buckets for one in members if one not in (member, leader)]
    first = min(others, default=buckets)
    return _hash(member) % buckets < first or (None if first == 0 else False)


def _hash(text: str) -> int:
    """The hash of a Java string, as its hash maps use it."""
    code, data = 0, text.encode("utf-16-be")
    for at in range(0, len(data), 2):
        code = (31 * code + int.from_bytes(data[at : at + 2])) & 0xFFFFFFFF
    return code ^ code >> 16
