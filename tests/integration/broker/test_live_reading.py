"""Reading a real broker: log ends, topics, and what cannot be read."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from support.child_consumer import ChildConsumer
from support.kafka_broker import Broker

from equilag.adapters.kafka import log_ends, offsets_topic
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.log_ends import read_log_ends, read_topics
from equilag.adapters.kafka.offsets_topic import partitions, read_partition
from equilag.domain.errors import InputError

pytestmark = [pytest.mark.broker]


@pytest.fixture(scope="module")
def config(broker: Broker) -> Config:
    """Settings for a cluster with the topic `livereading`: 10 records in 0, 4 of 9 left in 1."""
    config = kafka_config(broker.bootstrap)
    admin = AdminClient(dict(config))
    admin.create_topics([NewTopic("livereading", 3, 1)])["livereading"].result()
    producer = Producer(dict(config))
    for number, count in ((0, 10), (1, 9)):
        for _ in range(count):
            producer.produce("livereading", b"x", partition=number)
    assert producer.flush(20) == 0
    for future in admin.delete_records([TopicPartition("livereading", 1, 5)]).values():
        future.result()
    return config


def test_log_ends(config: Config) -> None:
    asked = [("livereading", number) for number in (2, 0, 1, 0, 3)] + [("no-such", 0)]
    ends = read_log_ends(config, asked)
    assert ends.start == {("livereading", 0): 0, ("livereading", 1): 5, ("livereading", 2): 0}
    assert ends.end == {("livereading", 0): 10, ("livereading", 1): 9, ("livereading", 2): 0}
    assert ends.unknown == {
        ("livereading", 3): "no such partition",
        ("no-such", 0): "no such topic",
    }
    assert "no-such" not in read_topics(config).partitions


def test_topics(config: Config) -> None:
    found = read_topics(config)
    assert found.partitions["livereading"] == 3
    assert found.refused == {}
    assert set(found.names.values()) == set(found.partitions)
    # The version of these random ids is 4: the halves are the right way round.
    (topic_id,) = (key for key, name in found.names.items() if name == "livereading")
    assert topic_id.version == 4


def test_many_partitions_in_batches(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_ends, "_BATCH_SIZE", 2)
    assert len(read_log_ends(config, [("livereading", number) for number in range(3)]).end) == 3
    assert "livereading" in read_topics(config).partitions


def test_open_transactions_count_in_the_ends_of_logs(config: Config) -> None:
    producer = Producer({**config, "transactional.id": "livereading"})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce("livereading", b"x", partition=2)
    producer.flush(20)
    assert read_log_ends(config, [("livereading", 2)]).end == {("livereading", 2): 1}
    producer.abort_transaction(30)


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
    assert partitions(config) == []


def test_a_setting_that_there_is_not(broker: Broker) -> None:
    config = kafka_config(broker.bootstrap, {"no.such.setting": "1"})
    with pytest.raises(InputError, match=r'No such configuration property: "no.such.setting"'):
        partitions(config)


def test_watermarks_agree_with_what_a_consumer_says(config: Config) -> None:
    consumer = ChildConsumer({**config, "group.id": "livereading"})
    ends = read_log_ends(config, [("livereading", number) for number in range(2)])
    for number in range(2):
        low, high = consumer.get_watermark_offsets(TopicPartition("livereading", number), 10)
        assert (ends.start["livereading", number], ends.end["livereading", number]) == (low, high)
    consumer.close()
