"""Settings of a Kafka client; calls of librdkafka that never return, and a client that is quiet."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator

import pytest
from confluent_kafka import TopicPartition

from equilag.adapters.kafka import offsets_topic
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.offsets_topic import HangingClient, bounded, read_partition
from equilag.domain.errors import InputError, MissingExtra

NOBODY = kafka_config("127.0.0.1:1")


@pytest.fixture
def ended() -> Iterator[threading.Event]:
    """Set at the end, for calls that would wait for ever."""
    event = threading.Event()
    yield event
    event.set()


def test_the_wait_for_a_call_can_be_interrupted(ended: threading.Event) -> None:
    def call() -> None:
        ended.wait(0.2)  # Python may lose a signal just before the main thread waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        ended.wait(10)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    with pytest.raises(KeyboardInterrupt):
        bounded("call", call, 30)
    signal.signal(signal.SIGINT, before)
    assert not ended.is_set()
    assert bounded("call", lambda: 3, 30) == 3


def test_a_call_that_never_returns_is_an_error_with_a_name(
    ended: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing comes back nevertheless; a consumer that reads for ever is an error of the run."""
    monkeypatch.setattr(offsets_topic, "GRACE_S", 0.05)

    class Stuck:
        close = ended.wait

    offsets_topic.close(Stuck())  # type: ignore[arg-type]
    records = offsets_topic.PartitionRecords(0, 0, 5, 0)
    monkeypatch.setattr(offsets_topic, "_bounds", lambda *_: records)
    monkeypatch.setattr(offsets_topic, "_read", lambda *_: ended.wait())
    with pytest.raises(HangingClient, match=r"^librdkafka's consume has not returned after 0\.1 s"):
        read_partition(NOBODY, 0, 0.05)


def test_librdkafka_keeps_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    consumer = offsets_topic.reading_client(NOBODY, {})
    consumer.assign([TopicPartition("t", 0, 0)])
    consumer.poll(0.5)
    consumer.close()
    assert capfd.readouterr() == ("", "")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(MissingExtra, match=r"pip install 'equilag\[kafka\]'"):
        offsets_topic.reading_client(NOBODY, {})


@pytest.mark.parametrize("server", ["a:99999", "a:0", "b:1, a:x", "SSL://a:", "[::1]:65536"])
def test_ports_that_there_are_not(server: str) -> None:
    with pytest.raises(InputError, match=r"--bootstrap-server: .* has no port between 1 and 65535"):
        kafka_config(server)


def test_servers_with_and_without_ports() -> None:
    for server in ("a", "SSL://a:65535", "::1", "[::1]", "[::1]:1", "a:1, b"):
        assert kafka_config(server)["bootstrap.servers"] == server


def test_settings() -> None:
    config = kafka_config(" a:1,b:2 ", {"client.id": "mine", "log_level": "7"})
    assert config == {"bootstrap.servers": "a:1,b:2", "client.id": "mine", "log_level": "7"}
    with pytest.raises(InputError, match="the bootstrap servers are given separately"):
        kafka_config("a:1", {"bootstrap.servers": "b:2"})
