"""Records of `__consumer_offsets`, as tables of Kafka's message schemas of the group coordinator.

A key starts with a 16-bit number that gives the record type (before KIP-848 the key's version), a
value with its version. In the flexible versions (KIP-482, KIP-915) lengths are compact, and tagged
fields stand at the end of each struct.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

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
STEPS: Final = frozenset({4, 6, 7})
"""The broker's steps towards current assignments, which are all that is needed."""


class Key(NamedTuple):
    """What a record is about. A type that `VALUES` has not is read up to the group."""

    kind: int
    group: str | None
    """None for unknown types."""
    name: str = ""
    """The topic of a commit, the id of a member, or a regular expression."""
    partition: int = -1

    @property
    def record_name(self) -> str:
        """The name of the record type with its number."""
        return f"{NAMES.get(self.kind, 'unknown record')} (key {self.kind})"


def read_key(data: bytes) -> Key:
    """Read what a record is about. Raises BrokenRecord."""
    cursor = Cursor(data)
    kind = cursor.int16()
    if kind in OFFSET_COMMITS:
        return Key(kind, cursor.string(), cursor.string(), cursor.int32())
    if kind in (CONSUMER_MEMBER, CURRENT_ASSIGNMENT, REGULAR_EXPRESSION):
        return Key(kind, cursor.string(), cursor.string())
    return Key(kind, cursor.string() if kind in NAMES else None)


class UnknownVersion(EquilagError):
    """A value in a newer version than known; the message names record and version.

    It is not read at all: Kafka does not promise that newer versions only add fields.
    """


class Field(NamedTuple):
    """A field of a message, in the versions from `since` to `until`."""

    name: str
    kind: str | tuple[Field, ...]
    """A method of Cursor, with [] before it for an array of such values; or the fields of the
    structs in an array."""
    since: int = 0
    until: int = 2**15


class Value(NamedTuple):
    """A message schema of a value."""

    fields: tuple[Field, ...]
    newest: int = 0
    flexible: int = 0
    """The first flexible version."""


_PARTITIONS: Final = Field("topic_id", "uuid"), Field("partitions", "[]int32")
VALUES: Final[dict[int, Value]] = {
    CLASSIC_GROUP: Value(
        (
            Field("protocol_type", "string"),
            Field("generation", "int32"),
            Field("protocol", "nullable_string"),
            Field("leader", "nullable_string"),
            Field("changed_at", "int64", since=2),
            Field(
                "members",
                (
                    Field("member", "string"),
                    Field("instance_id", "nullable_string", since=3),
                    Field("client_id", "string"),
                    Field("host", "string"),
                    Field("rebalance_timeout", "int32", since=1),
                    Field("session_timeout", "int32"),
                    Field("subscription", "blob"),
                    Field("assignment", "blob"),
                ),
            ),
        ),
        newest=4,
        flexible=4,
    ),
    CONSUMER_GROUP: Value((Field("epoch", "int32"),)),
    CONSUMER_MEMBER: Value(
        (
            Field("instance_id", "nullable_string"),
            Field("rack", "nullable_string"),
            Field("client_id", "string"),
            Field("host", "string"),
            Field("topics", "[]string"),
            Field("regex", "nullable_string"),
            Field("rebalance_timeout", "int32"),
            Field("assignor", "nullable_string"),
        )
    ),
    CURRENT_ASSIGNMENT: Value(
        (
            Field("epoch", "int32"),
            Field("previous_epoch", "int32"),
            Field("state", "int8"),
            Field("assigned", _PARTITIONS),
            Field("to_be_released", _PARTITIONS),
        )
    ),
    REGULAR_EXPRESSION: Value(
        (Field("topics", "[]string"), Field("version", "int64"), Field("matched_at", "int64"))
    ),
} | dict.fromkeys(
    OFFSET_COMMITS,
    Value(
        (
            Field("offset", "int64"),
            Field("leader_epoch", "int32", since=3),
            Field("metadata", "string"),
            Field("committed_at", "int64"),
            Field("expires_at", "int64", since=1, until=1),
        ),
        newest=4,
        flexible=4,
    ),
)
"""Kind of a record -> the schema of its value."""
TOPIC_ID: Final = 0
"""Tag of the topic id in a commit, 16 bytes."""

Message: TypeAlias = dict[str, Any]
"""Field -> value; of a flexible version also `tags`, undecoded."""
_Reader: TypeAlias = Callable[[Cursor], Any]


def read_value(kind: int, data: bytes) -> Message:
    """Read the value of a record. Raises BrokenRecord, UnknownVersion."""
    cursor, schema = Cursor(data), VALUES[kind]
    version = cursor.int16()
    if not 0 <= version <= schema.newest:
        raise UnknownVersion(f"{NAMES[kind]} value v{version}")
    found: Message = struct_reader(schema.fields, version, version >= schema.flexible)(cursor)
    return found


def topic_id_of(commit: Message) -> bytes | None:
    """Return the topic id of a commit. Raises BrokenRecord."""
    topic_id: bytes = commit.get("tags", {}).get(TOPIC_ID, bytes(16))
    if len(topic_id) != len(bytes(16)):
        raise BrokenRecord(f"a topic id of {len(topic_id)} bytes")
    return topic_id if any(topic_id) else None


@lru_cache(maxsize=64)
def struct_reader(fields: tuple[Field, ...], version: int, compact: bool = False) -> _Reader:
    """Return what reads a struct of these fields."""
    there = [one for one in fields if one.since <= version <= one.until]
    readers = [(one.name, _reader(one.kind, version, compact)) for one in there]
    if compact:
        readers.append(("tags", Cursor.tagged_fields))

    def read(cursor: Cursor) -> Message:
        return {name: reader(cursor) for name, reader in readers}

    return read


def _reader(kind: str | tuple[Field, ...], version: int, compact: bool) -> _Reader:
    if isinstance(kind, str) and not kind.startswith("[]"):
        variable = compact and kind in ("string", "nullable_string", "blob")
        found: _Reader = getattr(Cursor, f"compact_{kind}" if variable else kind)
        return found
    one = (
        _reader(kind[2:], version, compact)
        if isinstance(kind, str)
        else struct_reader(kind, version, compact)
    )
    array = Cursor.compact_array if compact else Cursor.array
    return lambda cursor: array(cursor, lambda: one(cursor))
