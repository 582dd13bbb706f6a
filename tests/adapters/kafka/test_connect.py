"""A cluster that does not answer, and a client that stays quiet."""

from __future__ import annotations

import signal
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from equilag.adapters.kafka import connect, offsets_topic
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.log_ends import read_topics
from equilag.adapters.kafka.offsets_topic import partitions, read_partition
from equilag.domain.errors import InputError, MissingExtra


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


def test_the_wait_for_a_call_can_be_interrupted() -> None:
    waits, ended = threading.Event(), threading.Event()

    def interrupt() -> None:
        waits.wait(10)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def call() -> None:
        waits.set()
        ended.wait(10)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        connect.bounded("call", call, 30)
    assert not ended.is_set()
    ended.set()
    assert connect.bounded("call", lambda: 3, 30) == 3


def test_a_call_that_never_returns_is_an_error_with_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = threading.Event()
    with pytest.raises(connect.HangingClient, match=r"^librdkafka's list_topics has not returned"):
        connect.bounded("list_topics", ended.wait, 0.05)
    monkeypatch.setattr(connect, "REQUEST_S", 0.01)
    monkeypatch.setattr(connect, "GRACE_S", 0.04)
    with pytest.raises(connect.HangingClient, match=r"has not answered list_offsets after 0\.05 s"):
        connect.result_of("list_offsets", Future())
    answered: Future[int] = Future()
    answered.set_result(7)
    assert connect.result_of("list_offsets", answered) == 7

    class Stuck:
        close = ended.wait

    connect.close(Stuck())  # comes back
    ended.set()


def test_every_call_of_the_fleets_reader_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """librdkafka hangs at the first request, at a later one, and while it reads."""
    ended = threading.Event()
    monkeypatch.setattr(connect, "WAIT_S", 0.0)
    monkeypatch.setattr(connect, "GRACE_S", 0.05)
    monkeypatch.setattr(
        "confluent_kafka.admin.AdminClient.list_topics", lambda *_, **__: ended.wait()
    )
    for ask in (partitions, read_topics, lambda c: read_partition(c, 0, 20)):
        with pytest.raises(connect.HangingClient, match="list_topics"):
            ask(kafka_config("127.0.0.1:1"))
    bounds = offsets_topic.PartitionRecords(0, 0, 5, 0)
    monkeypatch.setattr(offsets_topic, "GRACE_S", 0.05)
    monkeypatch.setattr(offsets_topic, "_bounds", lambda *_: bounds)
    monkeypatch.setattr(offsets_topic, "_read", lambda *_: ended.wait())
    with pytest.raises(connect.HangingClient, match="consume"):
        read_partition(kafka_config("127.0.0.1:1"), 0, 0.05)
    ended.set()


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
