"""The broker plug-in on real brokers: a group takes the plan that carriers bring, or is held."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from support.broker_plugin import CLASS, lib_with_plugin
from support.kafka_broker import Broker, NoBroker, start_broker
from support.kip848_members import Kip848Members
from support.live_topics import admin_of, make_topic
from support.waiting import stays, until

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.command_config import plain_config
from equilag.adapters.kafka.described import Described
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_requests import read_topics
from equilag.live.carrier.carrier_membership import Carrier
from equilag.live.carrier.group_carriers import GroupCarriers, NoPlugIn

pytestmark = [pytest.mark.broker]

TOPIC, SIZE = "carried", 6
KEY: Final = "only brokers and carriers know it"
VERSIONS: Final = ("4.0.0", "4.1.1", "4.2.0", "4.3.1", "")
"""Of the brokers; the last one is that of all other tests."""


@pytest.fixture(params=[pytest.param(one, marks=pytest.mark.long) for one in VERSIONS[:-1]] + [""])
def ready(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    """A broker with the plug-in."""
    settings = {
        "group.consumer.assignors": f"uniform,range,{CLASS}",
        "equilag.plan.key": KEY,
    }
    try:
        lib = lib_with_plugin(tmp_path / "lib", request.param)
        running = start_broker(tmp_path, settings, lib)
    except NoBroker as error:
        pytest.skip(f"no Kafka here: {error}")
    yield running
    running.stop()


def test_a_plan_is_taken_and_what_is_none_holds(ready: Broker) -> None:
    make_topic(admin_of(ready.bootstrap), TOPIC, SIZE)
    config = plain_config(kafka_config(ready.bootstrap))
    with (
        closing(PlainClient(config, 8)) as client,
        closing(Kip848Members(ready.bootstrap, TOPIC)) as members,
    ):
        (topic,) = read_topics(client, [TOPIC]).ids
        members.add()
        members.add()
        until(lambda: sorted(map(len, members.held())) == [3, 3])
        carriers = GroupCarriers(client, TOPIC, KEY.encode())
        forger = GroupCarriers(client, TOPIC, b"guessed")

        def bring(number: int, shares: list[list[int]], by: GroupCarriers = carriers) -> None:
            by.bring(members.plan(topic, shares), {topic: SIZE}, number)

        bring(1, [[5], [0, 1, 2, 3, 4]])
        until(lambda: members.held() == [[5], [0, 1, 2, 3, 4]])
        bring(2, [[0, 1, 2], [3, 4, 5]])
        until(lambda: members.held() == [[0, 1, 2], [3, 4, 5]])
        # Forged, broken and then stale: nothing moves.
        bring(3, [[], [0, 1, 2, 3, 4, 5]], forger)
        stays(lambda: members.held() == [[0, 1, 2], [3, 4, 5]], 1.5)
        second = Carrier(client, TOPIC, 1)
        second.bring("equilag:AAAA", trigger=True)
        stays(lambda: members.held() == [[0, 1, 2], [3, 4, 5]], 1.5)
        second.leave()
        bring(4, [[0, 1], [2, 3, 4, 5]])
        until(lambda: members.held() == [[0, 1], [2, 3, 4, 5]])
        members.add()
        stays(lambda: members.held() == [[0, 1], [2, 3, 4, 5], []], 1.5)
        bring(5, [[0, 1], [2, 3], [4, 5]])
        until(lambda: members.held() == [[0, 1], [2, 3], [4, 5]])
        carriers.keep()
        described = client.describe({TOPIC: True})[TOPIC]
        assert isinstance(described, Described)
        assert len(described.members) == 3  # nobody plans for carriers
        # A process that takes the place of another one, which was killed.
        carriers = GroupCarriers(client, TOPIC, KEY.encode())
        bring(6, [[0, 1, 2, 3], [4], [5]], carriers)
        until(lambda: members.held() == [[0, 1, 2, 3], [4], [5]])
        carriers.leave()
        until(lambda: sorted(map(len, members.held())) == [2, 2, 2])


def test_a_broker_without_the_plug_in_is_named(broker: Broker) -> None:
    config = plain_config(kafka_config(broker.bootstrap))
    with closing(PlainClient(config, 8)) as client:
        carriers = GroupCarriers(client, "any")
        with pytest.raises(NoPlugIn, match=f"{CLASS} at: broker 1"):
            carriers.bring({"a": {}}, {}, 1)
