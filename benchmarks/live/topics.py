"""Topics, commits and records on a broker, for tests of live groups."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic

from benchmarks.live.assignment_log import Partition
from benchmarks.waiting import until


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


_TICK_S: Final = 0.2
_PATIENT_MS: Final = 600_000
"""How long a record may wait for a broker that is away: more than any outage here."""


class Traffic:
    """Produces `rate` records a second into `topic` while the context lasts, the same in every
    partition unless there are `shares` of them. A record may come twice after an outage, but
    offsets have no gaps. An idempotent producer has a state of its own, which outages can end."""

    def __init__(
        self, bootstrap: str, topic: str, partitions: int, rate: float, shares: Sequence[float] = ()
    ) -> None:
        self.partitions = partitions
        """Set it higher once the topic has more."""
        self.failed = 0
        """Records that were never acknowledged."""
        self._acked: dict[Partition, int] = {}
        self._topic, self._rate, self._shares = topic, rate, shares
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "acks": "all",
                "linger.ms": 20,
                "message.timeout.ms": _PATIENT_MS,
                "topic.metadata.refresh.interval.ms": 1000,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Traffic:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._stop.set()
        if kind is None:  # else the broker may be away, and what failed is to be shown
            self.end()

    def end(self) -> None:
        """Stop, and wait until every record is acknowledged or given up; a second call does
        nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
            self.failed += self._producer.flush(_PATIENT_MS / 1000)

    def acked(self) -> dict[Partition, int]:
        """Records of each partition that are in the log, from offset 0 on."""
        return dict(self._acked)

    def _note(self, error: KafkaError | None, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        if error is not None or partition is None or offset is None:
            self.failed += 1
            return
        place = (self._topic, partition)
        self._acked[place] = max(self._acked.get(place, 0), offset + 1)

    def _run(self) -> None:
        due = time.monotonic()
        owed = np.zeros(0)
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            owed = np.pad(owed, (0, self.partitions - len(owed)))
            shares = np.array(self._shares or [1 / self.partitions] * self.partitions)
            owed += self._rate * shares * _TICK_S
            for partition in np.repeat(np.arange(len(owed)), owed.astype(int)).tolist():
                with suppress(BufferError, KafkaException):  # full, or the partition is too new
                    self._producer.produce(self._topic, b"x" * 20, partition=partition,
                                           on_delivery=self._note)  # fmt: skip
            owed %= 1.0
            self._producer.poll(0)
            due += _TICK_S
