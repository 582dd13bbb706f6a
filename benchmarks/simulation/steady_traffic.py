"""Records at constant rates, a different one for each partition."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Final

import numpy as np
from confluent_kafka import Producer

from equilag.columns import Floats, Ints

_TICK_S: Final = 0.1
_RECORD: Final = b"x" * 20
_QUEUED: Final = 1_000_000
"""Records that the producer may hold: more than the whole backlog."""


class SteadyTraffic:
    """Produces `backlog` records to every partition of a topic, then `rates` [P] records per
    second, as long as it is entered."""

    def __init__(self, bootstrap: str, topic: str, rates: Floats, backlog: int) -> None:
        self.produced: Ints = np.zeros(len(rates), np.int64)
        """[P] records so far."""
        self._backlog = backlog
        self._topic = topic
        self._rates = rates
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "linger.ms": 20,
                "queue.buffering.max.messages": _QUEUED,
                "log_level": 0,
            }
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> SteadyTraffic:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._stop.set()
        self._thread.join()
        self._producer.flush(30)

    def _run(self) -> None:
        """The number of records follows the clock, so that a late tick makes up for it."""
        began = time.monotonic()
        while not self._stop.wait(_TICK_S):
            due = self._backlog + (self._rates * (time.monotonic() - began)).astype(np.int64)
            for partition in np.flatnonzero(due > self.produced).tolist():
                number = int(due[partition] - self.produced[partition])
                batch = [{"value": _RECORD}] * number
                if self._producer.produce_batch(self._topic, batch, partition) != number:
                    raise RuntimeError("the producer's queue is full")
            self.produced = due
            self._producer.poll(0)
