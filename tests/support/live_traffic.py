"""Records at a steady rate, unevenly spread over the partitions; the spread changes at
intervals."""

from __future__ import annotations

import threading
import time

import numpy as np
import numpy.typing as npt
from confluent_kafka import Producer

_TICK_S = 0.2


class Traffic:
    """`rate` records a second into `topic`; each partition gets at most `most` of them, and shares
    are drawn anew every `every` seconds."""

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        rate: float,
        most: float,
        every: float,
        seed: int,
    ) -> None:
        self.produced = np.zeros(partitions, np.int64)
        """Records so far, by partition."""
        self._topic = topic
        self._rate, self._most, self._every = rate, most, every
        self._rng = np.random.default_rng(seed)
        self._producer = Producer(
            {"bootstrap.servers": bootstrap, "linger.ms": 50, "acks": "all", "log_level": 0}
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Traffic:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(60) == 0

    def _shares(self) -> npt.NDArray[np.float64]:
        """Records a second of each partition: log-normal (sigma 2), cut at the most."""
        weights = self._rng.lognormal(0.0, 2.0, len(self.produced))
        rates = weights
        for _ in range(50):  # what is cut goes to the others
            rates = np.minimum(rates * (self._rate / rates.sum()), self._most)
        return rates

    def _run(self) -> None:
        due = time.monotonic()
        changes = due
        rates = owed = np.zeros(len(self.produced))
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            if time.monotonic() >= changes:
                rates = self._shares()
                changes += self._every
            owed = owed + rates * _TICK_S
            now = owed.astype(np.int64)
            owed = owed - now
            for partition in np.flatnonzero(now).tolist():
                for _ in range(int(now[partition])):
                    self._producer.produce(self._topic, b"x" * 20, partition=partition)
            self.produced += now
            self._producer.poll(0)
            due += _TICK_S
