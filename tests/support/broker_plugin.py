"""Brokers with the plug-in."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from support.kafka_broker import running_brokers

from benchmarks.broker_plugin import ASSIGNORS, plugged_jars
from benchmarks.kafka_broker import Broker, NoBroker

KEY: Final = "only brokers and carriers know it"
SETTINGS: Final = {
    **ASSIGNORS,
    "equilag.plan.key": KEY,
    "group.consumer.assignment.interval.ms": "0",  # from 4.3 on: each plan is looked at
}


def plugged_brokers(
    stack: ExitStack, folder: Path, number: int = 1, version: str = ""
) -> list[Broker]:
    """A cluster of this version of Kafka with the plug-in, until the stack is closed."""
    try:
        lib = plugged_jars(folder / "lib", version)
    except NoBroker as error:
        pytest.skip(str(error))
    return running_brokers(stack, folder, number, SETTINGS, lib)
