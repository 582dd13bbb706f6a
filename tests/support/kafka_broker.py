"""The real Kafka of `benchmarks.kafka_broker`, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.kafka_broker import CACHE, Broker, NoBroker, missing, start_broker, start_brokers

__all__ = [
    "CACHE",
    "Broker",
    "NoBroker",
    "missing",
    "running_broker",
    "start_broker",
    "start_brokers",
]


def running_broker(folder: Path) -> Iterator[Broker]:
    """For a fixture: a broker until the tests are over, or a skip where there is no Kafka."""
    try:
        running = start_broker(folder)
    except NoBroker as error:
        pytest.skip(f"no Kafka here: {error}")
    yield running
    running.stop()
