"""Topics with their partitions' leaders and racks (Metadata) through kafka-python.

Importing this imports kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.quiet import quietly
from equilag.adapters.kafka.reading import NamedTopics, distinct_racks

with quietly():
    from kafka import errors
    from kafka.protocol.metadata import MetadataRequest

_MISSING: Final = (
    errors.UnknownTopicOrPartitionError.errno,
    errors.InvalidTopicError.errno,
)


def read_topics(
    client: PlainClient, topics: Iterable[str] | None, wait_ms: int | None = None
) -> NamedTopics:
    """Return these topics, or all that the user may describe. Raises kafka-python's errors."""
    names = None if topics is None else sorted(set(topics))
    return topics_of(client.ask(None, metadata_request(names), wait_ms))


def metadata_request(names: list[str] | None) -> Any:
    """Return a request for these topics, or for all; missing topics are not created."""
    kind = MetadataRequest.MetadataRequestTopic
    return MetadataRequest(
        topics=None if names is None else [kind(name=name) for name in names],
        allow_auto_topic_creation=False,
        include_cluster_authorized_operations=False,
        include_topic_authorized_operations=False,
        min_version=4,
        max_version=12,
    )


def topics_of(answer: Any) -> NamedTopics:
    """Return the topics of a MetadataResponse."""
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
            topics.ids[topic.topic_id] = topic.name
            topics.racks[topic.name] = {
                one.partition_index: distinct_racks(map(rack_of.get, one.replica_nodes))
                for one in topic.partitions
            }
    return topics
