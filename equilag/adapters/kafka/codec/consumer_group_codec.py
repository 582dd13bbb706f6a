"""Values of KIP-848 consumer groups in `__consumer_offsets`, as far as equilag needs them.

Formats: Kafka's message schemas ConsumerGroupMetadataValue, ConsumerGroupMemberMetadataValue,
ConsumerGroupCurrentMemberAssignmentValue and ConsumerGroupRegularExpressionValue, all version 0 and
flexible: later releases add fields as tagged fields.
"""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from equilag.adapters.kafka.codec.offsets_codec import (
    CONSUMER_GROUP,
    CONSUMER_MEMBER,
    CURRENT_ASSIGNMENT,
    NAMES,
    REGULAR_EXPRESSION,
    read_version,
)
from equilag.adapters.kafka.codec.wire import Cursor


class ConsumerMember(NamedTuple):
    """A member's subscription: topics by name, and a regular expression or None."""

    instance_id: str | None
    rack: str | None
    client_id: str
    host: str
    topics: list[str]
    regex: str | None


class CurrentAssignment(NamedTuple):
    """A member's partitions by topic id; it is to release those in `revoking`."""

    epoch: int
    assigned: list[tuple[UUID, list[int]]]
    revoking: list[tuple[UUID, list[int]]]


def read_group_epoch(data: bytes) -> int:
    """Read the group's epoch. Raises BrokenRecord, UnknownVersion."""
    cursor = _start(data, CONSUMER_GROUP)
    epoch = cursor.int32()
    cursor.tagged_fields()
    return epoch


def read_member(data: bytes) -> ConsumerMember:
    """Read a member's metadata. Raises BrokenRecord, UnknownVersion."""
    cursor = _start(data, CONSUMER_MEMBER)
    instance_id = cursor.compact_nullable_string()
    rack = cursor.compact_nullable_string()
    client_id, host = cursor.compact_string(), cursor.compact_string()
    topics = cursor.compact_array(cursor.compact_string)
    regex = cursor.compact_nullable_string()
    cursor.int32()  # rebalance timeout
    cursor.compact_nullable_string()  # the broker's assignor
    cursor.tagged_fields()  # metadata of a member that uses the classic protocol
    return ConsumerMember(instance_id, rack, client_id, host, topics, regex or None)


def read_current_assignment(data: bytes) -> CurrentAssignment:
    """Read a member's current assignment. Raises BrokenRecord, UnknownVersion."""
    cursor = _start(data, CURRENT_ASSIGNMENT)

    def topic() -> tuple[UUID, list[int]]:
        read = cursor.uuid(), cursor.compact_array(cursor.int32)
        cursor.tagged_fields()  # the epochs of the partitions
        return read

    epoch = cursor.int32()
    cursor.int32()  # the previous epoch
    cursor.int8()  # the member's state
    assigned, revoking = cursor.compact_array(topic), cursor.compact_array(topic)
    cursor.tagged_fields()
    return CurrentAssignment(epoch, assigned, revoking)


def read_resolved_topics(data: bytes) -> list[str]:
    """Read the topics that a regular expression matches. Raises BrokenRecord, UnknownVersion."""
    cursor = _start(data, REGULAR_EXPRESSION)
    topics = cursor.compact_array(cursor.compact_string)
    cursor.int64(), cursor.int64()  # version of the topics, time of the match
    cursor.tagged_fields()
    return topics


def _start(data: bytes, kind: int) -> Cursor:
    cursor = Cursor(data)
    read_version(cursor, 0, NAMES[kind])
    return cursor
