"""What several tests on Spark share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.kafka_broker import Broker, NoBroker, start_broker


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A cluster of a module's own: what is said of all its groups is about no other test's."""
    try:
        running = start_broker(tmp_path_factory.mktemp("kafka"))
    except NoBroker as error:
        pytest.skip(f"no Kafka here: {error}")
    yield running
    running.stop()
