"""Records by a schedule, into one topic."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final

import numpy as np
from confluent_kafka import Producer

from equilag.domain.columns import Ints

_TICK_S: Final = 0.1
_RECORD: Final = b"x" * 20
_QUEUED: Final = 1_000_000
"""Records that the producer may hold: more than a whole backlog."""


class ScheduledTraffic:
    """As long as it is entered, produces what is `due` by now: [P] records in all, as a function of
    the seconds since it was entered. A late tick makes up for the time since the last one."""

    def __init__(self, bootstrap: str, topic: str, due: Callable[[float], Ints]) -> None:
        self.produced: Ints = np.zeros_like(due(0.0))
        """[P] records so far."""
        self.began = time.monotonic()
        self._due = due
        self._topic = topic
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

    def __enter__(self) -> ScheduledTraffic:
        self.began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._stop.set()
        self._thread.join()
        self._producer.flush(30)

    def seconds(self) -> float:
        """Return the time since it was entered."""
        return time.monotonic() - self.began

    def _run(self) -> None:
        while not self._stop.wait(_TICK_S):
            due = self._due(self.seconds())
            for partition in np.flatnonzero(due > self.produced).tolist():
                number = int(due[partition] - self.produced[partition])
                batch = [{"value": _RECORD}] * number
                if self._producer.produce_batch(self._topic, batch, partition) != number:
                    raise RuntimeError("the producer's queue is full")
            self.produced = due
            self._producer.poll(0)
