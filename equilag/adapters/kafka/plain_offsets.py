"""Topics, commits and log ends through kafka-python, in three rounds of requests.

For callers that need an answer at once, also while brokers restart: librdkafka waits longer before
it reconnects, and longer with each attempt. Importing this module imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from equilag.adapters.kafka.cluster import NamedTopics
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.descriptions import error_name
from equilag.adapters.kafka.log_ends import bounds
from equilag.adapters.kafka.plain_client import PlainClient, describe_error
from equilag.adapters.kafka.quiet import quietly
from equilag.adapters.kafka.reading import distinct_racks
from equilag.adapters.kafka.sample_rows import TopicPartition

with quietly():
    from kafka import errors
    from kafka.protocol.consumer.group import OffsetFetchRequest
    from kafka.protocol.consumer.offsets import ListOffsetsRequest
    from kafka.protocol.metadata import MetadataRequest

_LATEST: Final = -1
_EARLIEST: Final = -2
"""Timestamps of ListOffsets that stand for the log's ends."""
_CONSUMER: Final = -1
"""Replica id of a client that is not a replica."""
_MISSING: Final = (
    errors.UnknownTopicOrPartitionError.errno,
    errors.InvalidTopicError.errno,
)


@dataclass(slots=True)
class PlainOffsets:
    """The answers: topics, commits or why not, first offset and end of each log or why not."""

    topics: NamedTopics = field(default_factory=NamedTopics)
    commits: dict[TopicPartition, int] | ReadFailure = field(default_factory=dict)
    ends: dict[TopicPartition, tuple[int, int]] = field(default_factory=dict)
    failed: dict[TopicPartition, str] = field(default_factory=dict)


def read_offsets(
    client: PlainClient, group: str, topics: Iterable[str], committed: bool, wait_ms: int
) -> PlainOffsets:
    """Return offsets of these topics for the group; each request may take `wait_ms`.

    With `committed` a log ends where the oldest open transaction begins. Raises kafka-python's
    errors if there are no metadata.
    """
    names = sorted(set(topics))
    node = client.coordinator(group, wait_ms)
    requested: list[tuple[int | None, Any]] = [(None, _metadata(names))]
    if not isinstance(node, ReadFailure):
        requested.append((node, _commits_of(group)))
    metadata, *commits = client.ask_all(requested, wait_ms)
    if isinstance(metadata, Exception):
        raise metadata
    found = PlainOffsets(_topics(metadata))
    found.commits = node if isinstance(node, ReadFailure) else _commits(commits[0])
    _read_ends(client, found, committed, wait_ms)
    return found


def read_topics(client: PlainClient, topics: Iterable[str], wait_ms: int) -> NamedTopics:
    """Return these topics with their partitions' leaders. Raises kafka-python's errors."""
    return _topics(client.ask(None, _metadata(sorted(set(topics))), wait_ms))


def _metadata(names: list[str]) -> Any:
    kind = MetadataRequest.MetadataRequestTopic
    return MetadataRequest(
        topics=[kind(name=name) for name in names],
        allow_auto_topic_creation=False,
        include_cluster_authorized_operations=False,
        include_topic_authorized_operations=False,
        min_version=4,
        max_version=12,
    )


def _commits_of(group: str) -> Any:
    kind = OffsetFetchRequest.OffsetFetchRequestGroup
    # From version 10 on topics are named by id.
    return OffsetFetchRequest(
        groups=[kind(group_id=group, topics=None)],
        require_stable=False,
        min_version=8,
        max_version=9,
    )


def _topics(answer: Any) -> NamedTopics:
    topics = NamedTopics()
    rack_of = {broker.node_id: broker.rack for broker in answer.brokers}
    for topic in answer.topics:
        if topic.error_code in _MISSING:
            topics.missing.append(topic.name)
        elif topic.error_code == errors.TopicAuthorizationFailedError.errno:
            topics.forbidden.append(topic.name)
        else:
            topics.found[topic.name] = {
                one.partition_index: one.leader_id for one in topic.partitions
            }
            topics.racks[topic.name] = {
                one.partition_index: distinct_racks(map(rack_of.get, one.replica_nodes))
                for one in topic.partitions
            }
    return topics


def _commits(answer: Any) -> dict[TopicPartition, int] | ReadFailure:
    if isinstance(answer, Exception):
        return ReadFailure(f"its commits cannot be read: {describe_error(answer)}")
    (group,) = answer.groups
    codes = [group.error_code]
    codes += [one.error_code for topic in group.topics for one in topic.partitions]
    wrong = next((code for code in codes if code), 0)
    if wrong:
        return ReadFailure.of(f"its commits cannot be read: {error_name(wrong)}", wrong)
    return {
        (topic.name, one.partition_index): one.committed_offset
        for topic in group.topics
        for one in topic.partitions
        if one.committed_offset >= 0
    }


def _read_ends(client: PlainClient, found: PlainOffsets, committed: bool, wait_ms: int) -> None:
    """Request log ends from the leader of each partition."""
    by_leader: dict[int, dict[str, list[int]]] = {}
    for topic, leaders in found.topics.found.items():
        for partition, leader in leaders.items():
            if leader < 0:
                found.failed[topic, partition] = "no leader"
            else:
                by_leader.setdefault(leader, {}).setdefault(topic, []).append(partition)
    requested = [
        (leader, _list_offsets(mine, at, committed))
        for leader, mine in by_leader.items()
        for at in (_LATEST, _EARLIEST)
    ]
    answers = client.ask_all(requested, wait_ms)
    for number, mine in enumerate(by_leader.values()):
        ends, starts = (_offsets(mine, answer) for answer in answers[2 * number : 2 * number + 2])
        for tp, end in ends.items():
            bound = bounds(starts[tp], end)
            if isinstance(bound, str):
                found.failed[tp] = bound
            else:
                found.ends[tp] = bound


def _list_offsets(topics: Mapping[str, list[int]], at: int, committed: bool) -> Any:
    topic = ListOffsetsRequest.ListOffsetsTopic
    partition = topic.ListOffsetsPartition
    return ListOffsetsRequest(
        replica_id=_CONSUMER,
        isolation_level=int(committed),
        topics=[
            topic(
                name=name,
                partitions=[
                    partition(partition_index=number, current_leader_epoch=-1, timestamp=at)
                    for number in numbers
                ],
            )
            for name, numbers in topics.items()
        ],
        min_version=4,
        max_version=9,
    )


def _offsets(requested: Mapping[str, list[int]], answer: Any) -> dict[TopicPartition, int | str]:
    """Return an offset for each requested partition, or the error."""
    problem = describe_error(answer) if isinstance(answer, Exception) else "no answer"
    found: dict[TopicPartition, int | str] = {
        (topic, number): problem for topic, numbers in requested.items() for number in numbers
    }
    if not isinstance(answer, Exception):
        for topic in answer.topics:
            for one in topic.partitions:
                offset = error_name(one.error_code) if one.error_code else int(one.offset)
                found[topic.name, one.partition_index] = offset
    return found
