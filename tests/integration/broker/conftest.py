"""Groups that a steward leads, and who makes topics and users."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient
from support.kafka_broker import Broker
from support.live_topics import admin_of
from support.steward_scene import scene

__all__ = ["scene"]


@pytest.fixture(scope="module")
def admin(broker: Broker) -> AdminClient:
    return admin_of(broker.bootstrap)
