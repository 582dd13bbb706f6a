"""Reading a real broker: log ends, topics, what cannot be read, and a cluster that does not
answer."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from support.kafka_broker import Broker

from equilag.adapters.kafka import connect, log_ends, offsets_topic
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.log_ends import read_log_ends, read_topics
from equilag.adapters.kafka.offsets_topic import check_not_empty, partitions, read_partition
from equilag.errors import InputError, MissingExtra

live = [pytest.mark.broker, pytest.mark.xdist_group("broker")]


def marked(test: Any) -> Any:
    for mark in live:
        test = mark(test)
    return test


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


@marked
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


@marked
def test_topics(config: Config) -> None:
    found = read_topics(config)
    assert found.partitions["livereading"] == 3
    assert (found.leaderless, found.refused) == ([], {})
    assert set(found.names.values()) == set(found.partitions)
    # The version of these random ids is 4: the halves are the right way round.
    (topic_id,) = (key for key, name in found.names.items() if name == "livereading")
    assert topic_id.version == 4


@marked
def test_many_partitions_in_batches(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_ends, "_BATCH_SIZE", 2)
    assert len(read_log_ends(config, [("livereading", number) for number in range(3)]).end) == 3
    assert "livereading" in read_topics(config).partitions


@marked
def test_open_transactions_count_in_the_ends_of_logs(config: Config) -> None:
    producer = Producer({**config, "transactional.id": "livereading"})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce("livereading", b"x", partition=2)
    producer.flush(20)
    assert read_log_ends(config, [("livereading", 2)]).end == {("livereading", 2): 1}
    producer.abort_transaction(30)


@marked
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


@marked
def test_reading_a_log_that_lost_its_beginning(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offsets_topic, "TOPIC", "livereading")
    part = read_partition(config, 1, 20)
    assert (part.begin, part.end, part.read, part.held_back) == (5, 9, 4, 0)
    assert part.survivors == {}  # none of them has a key


@marked
def test_reading_what_is_not_there(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets_topic, "TOPIC", "livereading")
    with pytest.raises(InputError, match=r"livereading\[99\]: no such partition"):
        read_partition(config, 99, 20)
    monkeypatch.setattr(offsets_topic, "TOPIC", "no-such")
    assert partitions(config) == []


@marked
def test_a_setting_that_there_is_not(broker: Broker) -> None:
    config = kafka_config(broker.bootstrap, {"no.such.setting": "1"})
    with pytest.raises(InputError, match=r'No such configuration property: "no.such.setting"'):
        partitions(config)


@pytest.mark.parametrize("ask", [partitions, read_topics, lambda c: read_partition(c, 0, 20)])
def test_nobody_there(
    ask: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connect, "WAIT_S", 0.5)
    started = time.monotonic()
    with pytest.raises(InputError) as caught:
        ask(kafka_config("127.0.0.1:1"))
    assert time.monotonic() - started < 5
    assert caught.value.source == "127.0.0.1:1"
    assert "no broker answers within 0.5 s: " in str(caught.value)
    assert "Connection refused" in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_it_does_not_wait_for_long() -> None:
    assert connect.WAIT_S <= 10


def test_librdkafka_keeps_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    consumer = connect.reading_client(kafka_config("127.0.0.1:1"), {})
    consumer.assign([TopicPartition("t", 0, 0)])
    consumer.poll(0.5)
    consumer.close()
    assert capfd.readouterr() == ("", "")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(MissingExtra, match=r"pip install 'equilag\[kafka\]'"):
        partitions(kafka_config("127.0.0.1:1"))


@pytest.mark.parametrize("bootstrap", ["", "  "])
def test_no_servers(bootstrap: str) -> None:
    with pytest.raises(InputError, match="bootstrap servers: is empty"):
        kafka_config(bootstrap)


def test_settings() -> None:
    config = kafka_config(" a:1,b:2 ", {"client.id": "mine", "log_level": "7"})
    assert config == {"bootstrap.servers": "a:1,b:2", "client.id": "mine", "log_level": "7"}
    with pytest.raises(InputError, match="the bootstrap servers are given separately"):
        kafka_config("a:1", {"bootstrap.servers": "b:2"})


def test_a_topic_with_records_of_which_none_were_read() -> None:
    config = kafka_config("a:1")
    check_not_empty(config, 0, 0)
    check_not_empty(config, 9, 1)
    with pytest.raises(InputError) as caught:
        check_not_empty(config, 9, 0)
    expected = "a:1: __consumer_offsets: 0 records were read, though its partitions hold 9 offsets"
    assert str(caught.value) == expected


class FakeAnswer:
    def __init__(self, value: Any) -> None:
        self.value = value

    def result(self) -> Any:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class FakeAdmin:
    """Knows offsets, and that the leader of partition 0 has just moved away and comes back."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def list_offsets(self, specs: dict[TopicPartition, Any], **_: Any) -> dict[Any, FakeAnswer]:
        from confluent_kafka import KafkaError, KafkaException

        self.asked.append([one.partition for one in specs])
        moved = KafkaException(KafkaError(KafkaError.NOT_LEADER_FOR_PARTITION))
        forbidden = KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
        answers = {0: moved if len(self.asked) == 1 else SimpleNamespace(offset=7), 2: forbidden}
        return {one: FakeAnswer(answers[one.partition]) for one in specs}

    def describe_topics(self, names: Any, **_: Any) -> dict[str, FakeAnswer]:
        halves = SimpleNamespace(
            get_most_significant_bits=lambda: -1, get_least_significant_bits=lambda: 2
        )
        return {"t": FakeAnswer(SimpleNamespace(topic_id=halves))}


def test_partitions_without_a_leader_and_other_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    admin = FakeAdmin()
    leaders = {0: 1, 1: -1, 2: 1}
    topics = {
        "t": SimpleNamespace(
            error=None, partitions={n: SimpleNamespace(leader=at) for n, at in leaders.items()}
        ),
        "secret": SimpleNamespace(error=SimpleNamespace(str=lambda: "denied"), partitions={}),
    }
    monkeypatch.setattr(log_ends, "connect", lambda _: (admin, SimpleNamespace(topics=topics)))
    monkeypatch.setattr(log_ends, "_PAUSE_S", 0.0)
    config = kafka_config("a:1")
    ends = read_log_ends(config, [("t", 0), ("t", 1), ("t", 2)])
    assert ends.start == ends.end == {("t", 0): 7}
    assert ends.unknown[("t", 1)] == "no leader"
    assert "authorization" in ends.unknown[("t", 2)].lower()
    assert admin.asked == [[0, 2], [0], [0, 2]]

    found = read_topics(config)
    assert found.partitions == {"t": 3}
    assert found.names == {UUID(int=(2**64 - 1) << 64 | 2): "t"}
    assert (found.leaderless, found.refused) == ([("t", 1)], {"secret": "denied"})


@marked
def test_watermarks_agree_with_what_a_consumer_says(config: Config) -> None:
    consumer = Consumer({**config, "group.id": "livereading"})
    ends = read_log_ends(config, [("livereading", number) for number in range(2)])
    for number in range(2):
        low, high = consumer.get_watermark_offsets(TopicPartition("livereading", number), 10)
        assert (ends.start["livereading", number], ends.end["livereading", number]) == (low, high)
    consumer.close()
