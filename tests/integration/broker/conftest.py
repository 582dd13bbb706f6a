"""Groups that a steward leads, and who makes topics and users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from confluent_kafka.admin import AdminClient
from support.kafka_broker import plugged_brokers
from support.steward_scene import scene

from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import admin_of

__all__ = ["scene"]


@pytest.fixture(scope="module")
def admin(broker: Broker) -> AdminClient:
    return admin_of(broker.bootstrap)


@pytest.fixture(scope="session")
def plugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A running broker with the plug-in, one for each process of pytest."""
    with ExitStack() as stack:
        yield plugged_brokers(stack, tmp_path_factory.mktemp("plugged"))[0]
