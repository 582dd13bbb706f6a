"""A librdkafka consumer whose speed is known: every record takes it the same time."""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from benchmarks.live.assignment_log import Log, What

_STOP_S: Final = 30
_BATCH_S: Final = 0.1
"""Seconds of work in a batch at most, so that polls and commits are not held up."""


class LimitedMember:
    """A member on a thread, started at once, with automatic commits as consumers have by default.

    It takes 1 / `speed` seconds for each record and gains nothing by having been idle, as if it
    worked on each record. A batch is done when it has slept for all of its records; only then is it
    polled again, which is what stores the offsets that the next automatic commit commits. `log` is
    told what the member holds.
    """

    def __init__(
        self,
        name: str,
        speed: float,
        topic: str,
        settings: Mapping[str, str | int],
        log: Log | None = None,
    ) -> None:
        self.name = name
        self.speed = speed
        self.read: dict[int, int] = {}
        """Partition -> the offset after the last record that was processed, by this member."""
        self.ended = array("d")
        """When each record was processed, in seconds since 1970."""
        self.delays = array("d")
        """Seconds from producing to processing, of the same records."""
        self._held: set[int] = set()
        self._topic = topic
        self._log = Log() if log is None else log
        self._consumer = Consumer({"client.id": name, **settings, "log_level": 0})
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def held(self) -> list[int]:
        return sorted(self._held)

    def stop(self, wait: bool = True) -> None:
        """Make the member leave the group; a second call does nothing."""
        self._stop.set()
        if wait:
            self._thread.join(_STOP_S)

    def _begin(self) -> None:
        """Ask for partitions, on the member's thread."""
        self._consumer.subscribe(
            [self._topic],
            on_assign=lambda _, given: self._takes(given),
            on_revoke=lambda _, taken: self._gives("revoke", taken),
            on_lost=lambda _, taken: self._gives("lost", taken),
        )

    def _between_batches(self) -> None:
        """What there is to do while no record is being worked on; group members do nothing."""

    def _takes(self, partitions: list[TopicPartition]) -> None:
        self._held |= {one.partition for one in partitions}
        self._note("assign", partitions)

    def _gives(self, what: What, partitions: list[TopicPartition]) -> None:
        self._held -= {one.partition for one in partitions}
        self._note(what, partitions)

    def _note(self, what: What, partitions: list[TopicPartition]) -> None:
        self._log.add(self.name, what, [(one.topic, one.partition) for one in partitions])

    def _run(self) -> None:
        self._begin()
        most = max(1, int(self.speed * _BATCH_S))
        free_at = time.monotonic()
        while not self._stop.is_set():
            with suppress(KafkaException):  # a rebalance in between
                self._between_batches()
                batch = self._consumer.consume(1, 0.1)
                if batch:
                    batch += self._consumer.consume(most - 1, 0.0)
                records = [message for message in batch if message.error() is None]
                free_at = max(free_at, time.monotonic() - _BATCH_S) + len(records) / self.speed
                self._stop.wait(max(0.0, free_at - time.monotonic()))
                self._done(records)
        with suppress(KafkaException):
            self._consumer.close()

    def _done(self, records: list[Message]) -> None:
        now = time.time()
        for message in records:
            partition, offset = message.partition(), message.offset()
            if partition is None or offset is None:
                continue
            self.read[partition] = offset + 1
            self.ended.append(now)
            self.delays.append(now - message.timestamp()[1] / 1000.0)
