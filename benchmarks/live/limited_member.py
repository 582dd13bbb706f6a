"""A librdkafka consumer whose speed is known: every record takes it the same time."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

_STOP_S: Final = 30
_BATCH_S: Final = 0.1
"""Seconds of work in a batch at most, so that polls and commits are not held up."""


class LimitedMember:
    """A member on a thread, started at once, with automatic commits as consumers have by default.

    It takes 1 / `speed` seconds for each record and gains nothing by having been idle, as if it
    worked on each record. A batch is done when it has slept for all of its records; only then is it
    polled again, which is what stores the offsets that the next automatic commit commits.
    """

    def __init__(
        self, name: str, speed: float, topic: str, settings: Mapping[str, str | int]
    ) -> None:
        self.name = name
        self.speed = speed
        self.read: dict[int, int] = {}
        """Partition -> the offset after the last record that was processed, by this member."""
        self._held: set[int] = set()
        self._topic = topic
        self._consumer = Consumer({**settings, "client.id": name, "log_level": 0})
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def held(self) -> list[int]:
        return sorted(self._held)

    def stop(self) -> None:
        """Make the member leave the group; a second call does nothing."""
        self._stop.set()
        self._thread.join(_STOP_S)

    def _takes(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._held |= {one.partition for one in partitions}

    def _gives(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._held -= {one.partition for one in partitions}

    def _run(self) -> None:
        self._consumer.subscribe(
            [self._topic], on_assign=self._takes, on_revoke=self._gives, on_lost=self._gives
        )
        most = max(1, int(self.speed * _BATCH_S))
        free_at = time.monotonic()
        while not self._stop.is_set():
            with suppress(KafkaException):  # a rebalance in between
                batch = self._consumer.consume(1, 0.1)
                if batch:
                    batch += self._consumer.consume(most - 1, 0.0)
                records = [
                    (message.partition(), message.offset())
                    for message in batch
                    if message.error() is None
                ]
                free_at = max(free_at, time.monotonic() - _BATCH_S) + len(records) / self.speed
                self._stop.wait(max(0.0, free_at - time.monotonic()))
                self.read |= {
                    partition: offset + 1
                    for partition, offset in records
                    if partition is not None and offset is not None
                }
        with suppress(KafkaException):
            self._consumer.close()
