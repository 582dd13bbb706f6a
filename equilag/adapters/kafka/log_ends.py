"""Log starts and ends of partitions, and the topics of a cluster."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar
from uuid import UUID

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.connect import REQUEST_S, connect, kafka_errors_named, result_of
from equilag.adapters.kafka.reading import distinct_racks

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.admin._metadata import ClusterMetadata

T = TypeVar("T")

Partition: TypeAlias = tuple[str, int]
"""Topic and partition number."""

_BATCH_SIZE: Final = 1000
"""Partitions, or topics, per request: librdkafka's time for a request grows with the square of its
partitions."""
_TRIES: Final = 4
"""Attempts for a partition whose leader is moving, _PAUSE_S apart: 1.5 s in all."""
_PAUSE_S: Final = 0.5
_TRANSIENT: Final = frozenset(
    {"NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE", "_TRANSPORT"}
)


@dataclass(slots=True)
class ClusterTopics:
    """The topics of a cluster, internal ones included.

    `names` by topic id; `partitions` has the number per topic; `refused` maps topics that the
    cluster does not describe to the reason.
    """

    names: dict[UUID, str] = field(default_factory=dict)
    partitions: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    racks: dict[Partition, tuple[str, ...]] = field(default_factory=dict)
    """Of partitions with a replica on a broker whose rack is known."""


@dataclass(slots=True)
class LogEnds:
    """`start` is the first offset of a log, `end` the offset of the next record.

    Every partition is in both, or in `unknown` with the reason.
    """

    start: dict[Partition, int] = field(default_factory=dict)
    end: dict[Partition, int] = field(default_factory=dict)
    unknown: dict[Partition, str] = field(default_factory=dict)


def read_topics(config: Config) -> ClusterTopics:
    """Return all topics of the cluster. Raises InputError if it does not answer, MissingExtra."""
    admin, cluster = connect(config)
    from confluent_kafka import KafkaException, TopicCollection

    found = ClusterTopics()
    for name, topic in sorted(cluster.topics.items()):
        if topic.error is not None:
            found.refused[name] = topic.error.str()
            continue
        found.partitions[name] = len(topic.partitions)
    for names in _batches(list(found.partitions)):
        with kafka_errors_named(config):
            answers = admin.describe_topics(TopicCollection(names), request_timeout=REQUEST_S)
        for name, answer in answers.items():
            try:
                topic = result_of("describe_topics", answer)
                found.names[_uuid(topic.topic_id)] = name
                for one in topic.partitions:
                    if racks := distinct_racks(node.rack for node in one.replicas):
                        found.racks[name, one.id] = racks
            except KafkaException as error:  # such as a topic deleted since
                found.refused[name] = error.args[0].str()
                found.partitions.pop(name)
    return found


def read_log_ends(config: Config, partitions: Iterable[Partition]) -> LogEnds:
    """Return start and end of the logs of `partitions`, with uncommitted transactions.

    Missing topics and leaderless partitions go to `unknown`. Raises InputError if the cluster does
    not answer, MissingExtra.
    """
    admin, cluster = connect(config)
    ends = LogEnds()
    asked = []
    for partition in dict.fromkeys(partitions):
        # For a missing topic librdkafka waits for seconds, and asks the cluster to create it.
        if problem := unavailable(cluster, partition):
            ends.unknown[partition] = problem
        else:
            asked.append(partition)
    with kafka_errors_named(config):
        found = log_bounds(admin, asked)
    for partition, bound in found.items():
        if isinstance(bound, str):
            ends.unknown[partition] = bound
        else:
            ends.start[partition], ends.end[partition] = bound
    return ends


def unavailable(cluster: ClusterMetadata, partition: Partition) -> str | None:
    """Return why a partition's offsets cannot be read now, or None."""
    name, number = partition
    topic = cluster.topics.get(name)
    if topic is None:
        return "no such topic"
    if topic.error is not None:
        return topic.error.str()
    if number not in topic.partitions:
        return "no such partition"
    return "no leader" if topic.partitions[number].leader < 0 else None


def log_bounds(
    admin: AdminClient, partitions: Sequence[Partition]
) -> dict[Partition, tuple[int, int] | str]:
    """Return the first and the next offset of each partition, or why they are unknown. See
    `offsets`."""
    found: dict[Partition, tuple[int, int] | str] = {}
    for batch in _batches(partitions):
        last = offsets(admin, batch, latest=True)
        first = offsets(admin, batch, latest=False)
        found |= {partition: bounds(first[partition], last[partition]) for partition in batch}
    return found


def bounds(start: int | str, end: int | str) -> tuple[int, int] | str:
    """Return a log's first offset and end from two answers, or why they are unknown.

    The end must have been requested first. If the start is above it, records were deleted in
    between and the end is out of date.
    """
    if isinstance(start, int) and isinstance(end, int):
        return start, max(start, end)
    return str(end if isinstance(start, int) else start)


def offsets(
    admin: AdminClient, partitions: Iterable[Partition], *, latest: bool, committed: bool = False
) -> dict[Partition, int | str]:
    """Return the first or the next offset of each partition, or why it is unknown.

    With `committed` the end is where the oldest open transaction begins. Partitions with moving
    leaders are asked again for a while. Raises KafkaException if no request is possible.
    """
    from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
    from confluent_kafka import admin as admin_module

    library: Any = admin_module  # some of its names have no types
    spec = library.OffsetSpec.latest() if latest else library.OffsetSpec.earliest()
    level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    found: dict[Partition, int | str] = {}
    left = list(partitions)
    for attempt in range(_TRIES if left else 0):
        if attempt:
            time.sleep(_PAUSE_S)
        answers = admin.list_offsets(
            {TopicPartition(*partition): spec for partition in left},
            isolation_level=level,
            request_timeout=REQUEST_S,
        )
        left = []
        for asked, answer in answers.items():
            partition = (asked.topic, asked.partition)
            try:
                found[partition] = result_of("list_offsets", answer).offset
            except KafkaException as error:
                reason: Any = error.args[0]
                found[partition] = reason.str()
                if reason.name() in _TRANSIENT:
                    left.append(partition)
        if not left:
            break
    return found


def _batches(items: Sequence[T]) -> Iterator[list[T]]:
    for first in range(0, len(items), _BATCH_SIZE):
        yield list(items[first : first + _BATCH_SIZE])


def _uuid(given: Any) -> UUID:
    """Return a topic id; confluent-kafka has it as two signed halves."""
    high, low = given.get_most_significant_bits(), given.get_least_significant_bits()
    return UUID(int=(high % 2**64) << 64 | low % 2**64)
