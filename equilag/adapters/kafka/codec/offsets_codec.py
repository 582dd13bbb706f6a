"""Keys and values of `__consumer_offsets`, as far as equilag needs them.

Formats: Kafka's message schemas of the group coordinator, published with its source. A key starts
with a 16-bit number that gives the record type (before KIP-848 the key's version), a value with its
version. Values here: OffsetCommitValue 0 to 4, GroupMetadataValue 0 to 4; those of KIP-848 groups
are in `consumer_protocol`.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from equilag.adapters.kafka.codec.wire import BrokenRecord, Cursor
from equilag.domain.errors import EquilagError

# Numbers at the start of keys, see NAMES.
OFFSET_COMMITS: Final = (0, 1)
CLASSIC_GROUP: Final = 2
CONSUMER_GROUP: Final = 3
CONSUMER_MEMBER: Final = 5
CURRENT_ASSIGNMENT: Final = 8
REGULAR_EXPRESSION: Final = 16

NAMES: Final[dict[int, str]] = {
    0: "offset commit",
    1: "offset commit",
    CLASSIC_GROUP: "group metadata",
    CONSUMER_GROUP: "consumer group metadata",
    4: "consumer group partition metadata",
    CONSUMER_MEMBER: "consumer group member metadata",
    6: "consumer group target assignment metadata",
    7: "consumer group target assignment member",
    CURRENT_ASSIGNMENT: "consumer group current member assignment",
    10: "share group member metadata",
    11: "share group metadata",
    12: "share group target assignment metadata",
    13: "share group target assignment member",
    14: "share group current member assignment",
    15: "share group state partition metadata",
    REGULAR_EXPRESSION: "consumer group regular expression",
    17: "streams group metadata",
    18: "streams group partition metadata",
    19: "streams group member metadata",
    20: "streams group target assignment metadata",
    21: "streams group target assignment member",
    22: "streams group current member assignment",
    23: "streams group topology",
}
"""Number at the start of a key -> Kafka 4.4's name of the record (CoordinatorRecordType)."""

_NEWEST_COMMIT: Final = 4
_NEWEST_GROUP: Final = 4
"""The newest known versions of both values; newer ones are refused."""
_FLEXIBLE: Final = 4
"""The first flexible version of both values (KIP-915)."""
_TOPIC_ID: Final = 0
"""Tag of the topic id in OffsetCommitValue."""
_NO_ID: Final = bytes(16)
_OFFSET: Final = Struct(">q")
_OFFSET_AND_EPOCH: Final = Struct(">qi")


class UnknownVersion(EquilagError):
    """A value in a newer version than known; the message names record and version.

    It is not read at all: Kafka does not promise that newer versions only add fields.
    """


class CommitKey(NamedTuple):
    """Keys 0 and 1: OffsetCommitKey."""

    group: str
    topic: str
    partition: int


class GroupKey(NamedTuple):
    """A record about a group as a whole; `kind` is CLASSIC_GROUP or CONSUMER_GROUP."""

    kind: int
    group: str


class MemberKey(NamedTuple):
    """A record about one member of a KIP-848 group.

    `name` is the member id, or for REGULAR_EXPRESSION the expression.
    """

    kind: int
    group: str
    name: str


class OtherKey(NamedTuple):
    """A record whose value is not read; `group` is None for unknown types.

    `needed` is True if information is lost: such records are counted by `name`.
    """

    name: str
    group: str | None
    needed: bool


Key: TypeAlias = CommitKey | GroupKey | MemberKey | OtherKey

_WHOLE: Final = frozenset({CLASSIC_GROUP, CONSUMER_GROUP})
_PARTS: Final = frozenset({CONSUMER_MEMBER, CURRENT_ASSIGNMENT, REGULAR_EXPRESSION})
# The broker's steps towards current assignments, which are all that is needed.
_STEPS: Final = frozenset({4, 6, 7})


class CommitValue(NamedTuple):
    """OffsetCommitValue; `topic_id` is the 16 bytes of a UUID: not a UUID object, for there are
    millions of values."""

    offset: int
    topic_id: bytes | None


class ClassicMember(NamedTuple):
    """One member in GroupMetadataValue, with its subscription and assignment undecoded."""

    member: str
    instance_id: str | None
    client_id: str
    host: str
    subscription: bytes
    assignment: bytes


class ClassicGroup(NamedTuple):
    """GroupMetadataValue."""

    protocol_type: str
    generation: int
    members: list[ClassicMember]


def read_key(data: bytes) -> Key:
    """Read what a record is about. Raises BrokenRecord."""
    cursor = Cursor(data)
    kind = cursor.int16()
    if kind in OFFSET_COMMITS:
        return CommitKey(cursor.string(), cursor.string(), cursor.int32())
    if kind in _WHOLE:
        return GroupKey(kind, cursor.string())
    if kind in _PARTS:
        return MemberKey(kind, cursor.string(), cursor.string())
    # The keys of all known types start with the group.
    return OtherKey(
        record_name(kind), cursor.string() if kind in NAMES else None, kind not in _STEPS
    )


def record_name(kind: int) -> str:
    """Return the name of the record type with this number."""
    return f"{NAMES.get(kind, 'unknown record')} (key {kind})"


def read_version(cursor: Cursor, newest: int, name: str) -> int:
    """Read the version at the start of a value. Raises BrokenRecord, UnknownVersion."""
    version = cursor.int16()
    if not 0 <= version <= newest:
        raise UnknownVersion(f"{name} value v{version}")
    return version


def read_commit(data: bytes) -> CommitValue:
    """Read the value of an offset commit. Raises BrokenRecord, UnknownVersion."""
    cursor = Cursor(data)
    version = read_version(cursor, _NEWEST_COMMIT, NAMES[1])
    offset, *_ = cursor.integers(_OFFSET_AND_EPOCH if version >= 3 else _OFFSET)
    flexible = version >= _FLEXIBLE
    _ = cursor.compact_string() if flexible else cursor.string()  # the client's metadata
    cursor.int64()  # time of the commit
    if version == 1:
        cursor.int64()  # its expiry time
    topic_id = cursor.tagged_fields().get(_TOPIC_ID, _NO_ID) if flexible else _NO_ID
    if len(topic_id) != len(_NO_ID):
        raise BrokenRecord(f"a topic id of {len(topic_id)} bytes")
    return CommitValue(offset, None if topic_id == _NO_ID else topic_id)


def read_classic_group(data: bytes) -> ClassicGroup:
    """Read the value of a classic group's metadata. Raises BrokenRecord, UnknownVersion."""
    cursor = Cursor(data)
    version = read_version(cursor, _NEWEST_GROUP, NAMES[CLASSIC_GROUP])
    flexible = version >= _FLEXIBLE
    text = cursor.compact_string if flexible else cursor.string
    nullable_text = cursor.compact_nullable_string if flexible else cursor.nullable_string
    message = cursor.compact_bytes if flexible else cursor.bytes_

    def member() -> ClassicMember:
        name = text()
        instance_id = nullable_text() if version >= 3 else None
        client_id, host = text(), text()
        if version >= 1:
            cursor.int32()  # rebalance timeout
        cursor.int32()  # session timeout
        read = ClassicMember(name, instance_id, client_id, host, message(), message())
        if flexible:
            cursor.tagged_fields()
        return read

    protocol_type = text()
    generation = cursor.int32()
    nullable_text(), nullable_text()  # the assignor, the leader
    if version >= 2:
        cursor.int64()  # time of the last change
    members = (cursor.compact_array if flexible else cursor.array)(member)
    if flexible:
        cursor.tagged_fields()
    return ClassicGroup(protocol_type, generation, members)
