"""The steward in a KIP-848 group: it leads where brokers have the plug-in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.broker_plugin import CLASS, lib_with_plugin
from support.kafka_broker import Broker, NoBroker, start_broker
from support.kip848_members import Kip848Members
from support.live_topics import admin_of, commit, fill, make_topic
from support.steward_scene import QUICKLY
from support.waiting import stays, until

from benchmarks.live.steward_run import StewardRun

pytestmark = [pytest.mark.broker]

TOPIC = "led-848"
LAGS = (90_000, 30_000, 30_000, 30_000)


@pytest.fixture
def ready(tmp_path: Path) -> Iterator[Broker]:
    """A broker with the plug-in."""
    lib = lib_with_plugin(tmp_path / "lib")
    try:
        running = start_broker(
            tmp_path, {"group.consumer.assignors": f"uniform,range,{CLASS}"}, lib
        )
    except NoBroker as error:
        pytest.skip(f"no Kafka here: {error}")
    yield running
    running.stop()


def test_a_steward_leads(ready: Broker, tmp_path: Path) -> None:
    admin = admin_of(ready.bootstrap)
    make_topic(admin, TOPIC, len(LAGS))
    fill(ready.bootstrap, TOPIC, LAGS)
    commit(admin, TOPIC, {TOPIC: [0] * len(LAGS)})
    with ExitStack() as stack:
        members = Kip848Members(ready.bootstrap, TOPIC)
        stack.callback(members.close)
        members.add()
        members.add()
        until(lambda: sorted(map(len, members.held())) == [2, 2])

        def steward() -> StewardRun:
            run = StewardRun(tmp_path, ready.bootstrap, TOPIC, *QUICKLY, "--balance", "none")
            stack.callback(run.end)
            return run

        first = steward()
        until(lambda: members.held() and first.status().get("role") == "leader", 60)
        until(lambda: [0] in members.held() and [1, 2, 3] in members.held(), 60)
        second = steward()
        until(lambda: members.held() and second.status().get("role") == "standby", 60)
        before = members.held()
        first.kill()
        until(lambda: members.held() and second.status().get("role") == "leader", 60)
        stays(lambda: members.held() == before, 2)
        members.add()
        until(lambda: all(members.held()), 60)
        second.end()
        until(lambda: sorted(map(len, members.held())) == [1, 1, 2], 60)
