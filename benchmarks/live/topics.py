"""Topics, commits and records on a broker, for tests of live groups."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
_STUCK_S: Final = 100.0
"""After so long without an acknowledgement a producer counts as one that hangs for good: longer
than any outage here, with the start of a broker."""
_TRIES: Final = 5


def _producer(bootstrap: str) -> Producer:
    return Producer(
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


class Traffic:
    """Produces `rate` records a second into `topic` while the context lasts, the same in every
    partition unless there are `shares` of them.

    A broker that has just started may answer that there are no brokers. A client of librdkafka
    2.10 to 2.16 then has none, and hangs for good (its issue 5301). So there is a new producer
    where one hangs, and records may come twice; offsets have no gaps."""

    def __init__(
        self, bootstrap: str, topic: str, partitions: int, rate: float, shares: Sequence[float] = ()
    ) -> None:
        self.partitions = partitions
        """Set it higher once the topic has more."""
        self.failed = 0
        """Records that were never acknowledged."""
        self.renewed = 0
        """Producers that hung."""
        self._acked: dict[Partition, int] = {}
        self._waiting = Counter[int]()
        """Records of each partition that are not acknowledged."""
        self._acked_at = time.monotonic()
        self._bootstrap, self._topic, self._rate, self._shares = bootstrap, topic, rate, shares
        self._producers = [_producer(bootstrap)]
        """The last one is in use; to end one that hangs might take for ever."""
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
        if not self._thread.is_alive():
            return
        self._thread.join()
        for _ in range(_TRIES):
            if not self._producers[-1].flush(_STUCK_S):
                return
            self._renew()
        self.failed += self._waiting.total()

    def acked(self) -> dict[Partition, int]:
        """Records of each partition that are in the log, from offset 0 on."""
        return dict(self._acked)

    def _note(self, error: KafkaError | None, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        self._acked_at = time.monotonic()
        if partition is not None:
            self._waiting[partition] -= 1
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
            self._produce(np.repeat(np.arange(len(owed)), owed.astype(int)).tolist())
            owed %= 1.0
            self._producers[-1].poll(0)
            if time.monotonic() - self._acked_at > _STUCK_S:
                self._renew()
            due += _TICK_S

    def _produce(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            with suppress(BufferError, KafkaException):  # full, or the partition is too new
                self._producers[-1].produce(
                    self._topic, b"x" * 20, partition=partition, on_delivery=self._note
                )
                self._waiting[partition] += 1

    def _renew(self) -> None:
        """A new producer produces what the last one has not."""
        again, self._waiting = list(self._waiting.elements()), Counter()
        self._producers.append(_producer(self._bootstrap))
        self.renewed, self._acked_at = self.renewed + 1, time.monotonic()
        self._produce(again)
