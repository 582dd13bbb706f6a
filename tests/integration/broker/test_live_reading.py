"""Reading a real broker: log ends, topics, and what cannot be read."""

from __future__ import annotations

import pytest
from confluent_kafka import TopicPartition
from support.kafka_broker import Broker
from support.live_topics import admin_of, fill, make_topic
from support.waiting import PATIENCE_S

from equilag.adapters.kafka import offsets_topic
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.cluster import connected
from equilag.adapters.kafka.offsets_topic import partitions, read_partition
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


def test_topics_and_log_ends(config: Config) -> None:
    with connected(config, PATIENCE_S) as cluster:
        named = cluster.topics(["livereading", "no-such"])
        assert (named.found["livereading"].keys(), named.missing) == ({0, 1, 2}, ["no-such"])
        # The version of these random ids is 4: the bytes are in the right order.
        assert {(key.version, name) for key, name in named.ids.items()} == {(4, "livereading")}
        ends, unknown = cluster.ends(named.leaders(), named.found)
        assert {number: bounds for (_, number), bounds in ends.items()} == {
            0: (0, 10), 1: (5, 9), 2: (0, 0),
        }  # fmt: skip
        assert not unknown
        every = cluster.topics()
        assert every.ids.items() >= named.ids.items()
        assert "no-such" not in every.found


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


def test_reading_what_is_not_there(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets_topic, "TOPIC", "livereading")
    with pytest.raises(InputError, match=r"livereading\[99\]: no such partition"):
        read_partition(config, 99, 20)
    monkeypatch.setattr(offsets_topic, "TOPIC", "no-such")
    with connected(config, PATIENCE_S) as cluster:
        assert partitions(cluster) == []


def test_a_setting_that_there_is_not(broker: Broker) -> None:
    config = kafka_config(broker.bootstrap, {"no.such.setting": "1"})
    with pytest.raises(InputError, match=r'No such configuration property: "no.such.setting"'):
        read_partition(config, 0, 20)
