"""Consumers of librdkafka in a KIP-848 group, in this thread."""

from __future__ import annotations

from uuid import UUID

from confluent_kafka import Consumer


class Kip848Members:
    """Consumers that are polled whenever somebody looks at them."""

    def __init__(self, bootstrap: str, topic: str, **settings: str) -> None:
        """Of one topic; the group has its name. `settings` are librdkafka's."""
        self._topic = topic
        self._settings = {
            "bootstrap.servers": bootstrap,
            "group.id": topic,
            "group.protocol": "consumer",
            "log_level": 0,
            **settings,
        }
        self.running: list[Consumer] = []

    def add(self) -> None:
        consumer = Consumer(self._settings)
        consumer.subscribe([self._topic])
        self.running.append(consumer)

    def held(self) -> list[list[int]]:
        """The partitions of each member. Raises KafkaException if one has ended."""
        for consumer in self.running:
            message = consumer.poll(0.02)
            assert message is None or not message.error(), message.error()
        return [sorted(one.partition for one in each.assignment()) for each in self.running]

    def plan(self, topic: UUID, shares: list[list[int]]) -> dict[str, dict[UUID, list[int]]]:
        ids = [consumer.memberid() for consumer in self.running]
        return {one: {topic: share} for one, share in zip(ids, shares, strict=True)}

    def close(self) -> None:
        while self.running:
            self.running.pop().close()
