"""Reading partitions of a real broker that are cut short, or cannot be read."""

from __future__ import annotations

import pytest
from confluent_kafka import TopicPartition
from support.kafka_broker import Broker
from support.live_topics import admin_of, fill, make_topic

from equilag.adapters.kafka import offsets_topic
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.offsets_topic import read_partition
from equilag.domain.errors import InputError

pytestmark = [pytest.mark.broker]


@pytest.fixture(scope="module")
def config(broker: Broker) -> Config:
    """Settings for a cluster with the topic `livereading`: 10 records in 0, 4 of 9 left in 1."""
    admin = admin_of(broker.bootstrap)
    make_topic(admin, "livereading", 3)
    fill(broker.bootstrap, "livereading", [10, 9])
    for future in admin.delete_records([TopicPartition("livereading", 1, 5)]).values():
        future.result()
    return kafka_config(broker.bootstrap)


def test_reading_that_takes_too_long(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets_topic, "TOPIC", "livereading")
    monkeypatch.setattr(offsets_topic, "_RECORDS_PER_CALL", 1)
    with pytest.raises(InputError) as caught:
        read_partition(config, 0, 0.0)
    message = str(caught.value)
    assert message.startswith(
        f"{config['bootstrap.servers']}: livereading[0]: read only up to offset"
    )
    assert " of 10 within the time limit" in message


def test_reading_a_log_that_lost_its_beginning(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offsets_topic, "TOPIC", "livereading")
    part = read_partition(config, 1, 20)
    assert (part.begin, part.end, part.read, part.held_back) == (5, 9, 4, 0)
    assert part.survivors == {}  # none of them has a key


def test_a_setting_that_there_is_not(broker: Broker) -> None:
    config = kafka_config(broker.bootstrap, {"no.such.setting": "1"})
    with pytest.raises(InputError, match=r'No such configuration property: "no.such.setting"'):
        read_partition(config, 0, 20)
