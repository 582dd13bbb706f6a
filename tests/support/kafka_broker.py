"""The real Kafka of `benchmarks.kafka_broker`, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.broker_plugin import WITH_KEY, plugged_jars
from benchmarks.kafka_broker import Broker, NoBroker, start_broker, start_brokers


def running_broker(folder: Path) -> Iterator[Broker]:
    """For a fixture: a broker until the tests are over, or a skip where there is no Kafka."""
    try:
        running = start_broker(folder)
    except NoBroker as error:
        pytest.skip(f"no Kafka here: {error}")
    yield running
    running.stop()


def running_brokers(
    stack: ExitStack,
    folder: Path,
    number: int,
    settings: Mapping[str, str] | None = None,
    lib: Path | None = None,
) -> list[Broker]:
    """A cluster of so many brokers until the stack is closed, or a skip where there is no Kafka."""
    try:
        brokers = start_brokers(folder, number, settings, lib)
    except NoBroker as error:
        pytest.skip(str(error))
    for broker in brokers:
        stack.callback(broker.stop)
    return brokers


def plugged_brokers(
    stack: ExitStack, folder: Path, number: int = 1, version: str = ""
) -> list[Broker]:
    """A cluster of this version of Kafka with the plug-in, until the stack is closed."""
    try:
        lib = plugged_jars(folder / "lib", version)
    except NoBroker as error:
        pytest.skip(str(error))
    return running_brokers(stack, folder, number, WITH_KEY, lib)


def servers(brokers: Sequence[Broker]) -> str:
    """Their addresses, as clients take them."""
    return ",".join(broker.bootstrap for broker in brokers)
