"""Topics and commits on a broker, for tests of live groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic
from support.waiting import until


def admin_of(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})


def make_topic(admin: AdminClient, topic: str, partitions: int, copies: int = 1) -> None:
    """Create a topic and wait until it can be used; retry while an old one is being deleted."""
    until(lambda: _make(admin, NewTopic(topic, partitions, copies)), 20)
    until(lambda: len(_partitions(admin, topic)) == partitions)


def _make(admin: AdminClient, topic: NewTopic) -> bool:
    (made,) = admin.create_topics([topic]).values()
    return made.exception(20) is None


def add_partitions(admin: AdminClient, topic: str, total: int) -> None:
    admin.create_partitions([NewPartitions(topic, total)])[topic].result()
    until(lambda: len(_partitions(admin, topic)) == total)


def delete_topic(admin: AdminClient, topic: str) -> None:
    admin.delete_topics([topic])[topic].result()
    until(lambda: topic not in admin.list_topics(timeout=10).topics)


def _partitions(admin: AdminClient, topic: str) -> dict[int, Any]:
    found = admin.list_topics(timeout=10).topics.get(topic)
    led = {} if found is None else found.partitions
    return {number: one for number, one in led.items() if one.leader >= 0}


def fill(bootstrap: str, topic: str, records: Sequence[int]) -> None:
    """Produce these numbers of one-byte records to the partitions."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 20, "queue.buffering.max.messages": 1_000_000}
    )
    for partition, number in enumerate(records):
        batch = [{"value": b"x"}] * number
        assert producer.produce_batch(topic, batch, partition) == number
    assert producer.flush(30) == 0


def commit(admin: AdminClient, group: str, offsets: Mapping[str, Sequence[int]]) -> None:
    """Commit for a group without members, so that its lag is known from the start.

    Retries while a new broker has no coordinator for the group.
    """
    partitions = [
        TopicPartition(topic, number, at)
        for topic, row in offsets.items()
        for number, at in enumerate(row)
    ]
    request = [ConsumerGroupTopicPartitions(group, partitions)]

    def done() -> bool:
        with suppress(KafkaException):
            told = admin.alter_consumer_group_offsets(request, request_timeout=5)[group].result()
            return all(one.error is None for one in told.topic_partitions)
        return False

    until(done)
