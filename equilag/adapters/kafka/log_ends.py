"""Where the logs of partitions begin and end, and what topics there are."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar
from uuid import UUID

from equilag.adapters.kafka.client_config import Config
from equilag.adapters.kafka.connect import connect, named

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.admin._metadata import ClusterMetadata

T = TypeVar("T")

Partition: TypeAlias = tuple[str, int]
"""Topic and number."""

_BATCH: Final = 1000
"""Partitions, or topics, in one request: the time that librdkafka takes for one grows with the
square of its partitions."""
_TIMEOUT_S: Final = 30.0
_TRIES: Final = 4
_PAUSE_S: Final = 0.5
_PASSING: Final = frozenset(
    {"NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE", "_TRANSPORT"}
)


@dataclass(slots=True)
class ClusterTopics:
    """The topics of a cluster, internal ones too.

    `names` by id, `partitions` as a count per topic, `leaderless` partitions (of which nobody can
    say anything just now), and the reason for each topic of which the cluster did not tell.
    """

    names: dict[UUID, str] = field(default_factory=dict)
    partitions: dict[str, int] = field(default_factory=dict)
    leaderless: list[Partition] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class LogEnds:
    """`start` is the first offset there is, `end` the one that the next record gets.

    A partition is in both, or with a reason in `unknown`.
    """

    start: dict[Partition, int] = field(default_factory=dict)
    end: dict[Partition, int] = field(default_factory=dict)
    unknown: dict[Partition, str] = field(default_factory=dict)


def read_topics(config: Config) -> ClusterTopics:
    """All topics of the cluster. Raises InputError if it cannot be reached, MissingExtra."""
    admin, cluster = connect(config)
    from confluent_kafka import KafkaException, TopicCollection

    found = ClusterTopics()
    for name, topic in sorted(cluster.topics.items()):
        if topic.error is not None:
            found.refused[name] = topic.error.str()
            continue
        found.partitions[name] = len(topic.partitions)
        found.leaderless += [
            (name, number)
            for number in sorted(topic.partitions)
            if unavailable(cluster, (name, number))
        ]
    for names in _batches(list(found.partitions)):
        with named(config):
            answers = admin.describe_topics(TopicCollection(names), request_timeout=_TIMEOUT_S)
        for name, answer in answers.items():
            try:
                found.names[_uuid(answer.result().topic_id)] = name
            except KafkaException as error:  # deleted since, for one
                found.refused[name] = error.args[0].str()
                found.partitions.pop(name)
    return found


def read_log_ends(config: Config, partitions: Iterable[Partition]) -> LogEnds:
    """Begin and end of the logs of `partitions`, uncommitted transactions included.

    Missing topics and partitions without a leader are reported, not raised. Raises InputError if
    the cluster cannot be reached, MissingExtra.
    """
    admin, cluster = connect(config)
    ends = LogEnds()
    asked = []
    for partition in dict.fromkeys(partitions):
        # librdkafka waits for seconds for what is not there, and asks the cluster to make it.
        if problem := unavailable(cluster, partition):
            ends.unknown[partition] = problem
        else:
            asked.append(partition)
    with named(config):
        told_of = log_bounds(admin, asked)
    for partition, told in told_of.items():
        if isinstance(told, str):
            ends.unknown[partition] = told
        else:
            ends.start[partition], ends.end[partition] = told
    return ends


def unavailable(cluster: ClusterMetadata, partition: Partition) -> str | None:
    """Why nobody can tell the offsets of a partition just now, or None if somebody can."""
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
    admin: AdminClient, partitions: Sequence[Partition], *, committed: bool = False
) -> dict[Partition, tuple[int, int] | str]:
    """The first and the next offset of each partition, or why there are none; as `offsets`."""
    found: dict[Partition, tuple[int, int] | str] = {}
    for batch in _batches(partitions):
        last = offsets(admin, batch, latest=True, committed=committed)
        first = offsets(admin, batch, latest=False)
        found |= {partition: bounds(first[partition], last[partition]) for partition in batch}
    return found


def bounds(start: int | str, end: int | str) -> tuple[int, int] | str:
    """A log's first offset and end out of two answers, of which the end's is the older one; or why
    they are not known.

    The end is asked for first: a log only grows there, so that a start is above an end but for an
    instant, and then it is the end that is out of date.
    """
    if isinstance(start, int) and isinstance(end, int):
        return start, max(start, end)
    return str(end if isinstance(start, int) else start)


def offsets(
    admin: AdminClient, partitions: Iterable[Partition], *, latest: bool, committed: bool = False
) -> dict[Partition, int | str]:
    """The first or the next offset of each partition, or why there is none.

    With `committed` the end is where the oldest transaction that is still open began. Leaders that
    are just moving are asked again for a while. Raises KafkaException if nothing can be asked.
    """
    from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
    from confluent_kafka import admin as admin_module

    library: Any = admin_module  # some of its types are missing
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
            request_timeout=_TIMEOUT_S,
        )
        left = []
        for asked, answer in answers.items():
            partition = (asked.topic, asked.partition)
            try:
                found[partition] = answer.result().offset
            except KafkaException as error:
                reason: Any = error.args[0]
                found[partition] = reason.str()
                if reason.name() in _PASSING:
                    left.append(partition)
        if not left:
            break
    return found


def _batches(items: Sequence[T]) -> Iterator[list[T]]:
    for first in range(0, len(items), _BATCH):
        yield list(items[first : first + _BATCH])


def _uuid(given: Any) -> UUID:
    """A topic id as confluent-kafka has it: two signed halves."""
    high, low = given.get_most_significant_bits(), given.get_least_significant_bits()
    return UUID(int=(high % 2**64) << 64 | low % 2**64)
