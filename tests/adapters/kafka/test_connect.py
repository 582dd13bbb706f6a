"""A cluster that does not answer, and a client that stays quiet."""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from equilag.adapters.kafka import connect
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
        connect.interruptible(call)
    assert not ended.is_set()
    ended.set()
    assert connect.interruptible(lambda: 3) == 3


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
