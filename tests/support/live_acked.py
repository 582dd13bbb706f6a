"""Records at a steady rate, the same in every partition, counted once all replicas have them."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from benchmarks.live.assignment_log import Partition

_TICK_S: Final = 0.25
_PATIENT_MS: Final = 600_000
"""How long a record may wait for a broker that is away: more than any outage here."""


class AckedTraffic:
    """`rate` records a second into `topic`, dealt to its partitions in turn, while the context
    lasts. The producer is idempotent, so offsets have no gaps and no record comes twice."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, rate: float) -> None:
        self.partitions = partitions
        """Set it higher once the topic has more."""
        self.failed = 0
        """Records that were never acknowledged; the client gave up."""
        self._acked: dict[Partition, int] = {}
        self._topic, self._rate = topic, rate
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 20,
                "message.timeout.ms": _PATIENT_MS,
                "topic.metadata.refresh.interval.ms": 1000,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> AckedTraffic:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Stop, and wait until every record is acknowledged; a second call does nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
            assert self._producer.flush(120) == 0

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
        number, owed = 0, 0.0
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            owed += self._rate * _TICK_S
            for _ in range(int(owed)):
                with suppress(BufferError, KafkaException):  # full, or the partition is too new
                    place = number % self.partitions
                    self._producer.produce(self._topic, b"x" * 20, partition=place,
                                           on_delivery=self._note)  # fmt: skip
                number += 1
            owed -= int(owed)
            self._producer.poll(0)
            due += _TICK_S
