"""The broker plug-in on real brokers: a group takes the plan that carriers bring, or is held."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from typing import Final

import pytest
from support.kafka_broker import plugged_brokers
from support.live_groups import Kip848Members

from benchmarks.broker_plugin import CLASS, KEY
from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import admin_of, make_topic
from benchmarks.waiting import stays, until
from equilag.adapters.kafka.client_config import kafka_config, plain_config
from equilag.adapters.kafka.described import Described
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.plain.plain_requests import read_topics
from equilag.live.carrier.carriers import Carrier, Coordinator, GroupCarriers
from equilag.live.carrier.plan_form import plan_pieces
from equilag.live.carrier.plug_in import NoPlugIn

pytestmark = [pytest.mark.broker]

TOPIC, SIZE = "carried", 6
VERSIONS: Final = ("4.0.0", "4.1.1", "4.2.0", "4.3.1", "")
"""Of the brokers; the last one is that of all other tests."""


@pytest.fixture(params=[pytest.param(one, marks=pytest.mark.long) for one in VERSIONS[:-1]] + [""])
def ready(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    """A broker with the plug-in: the one for all tests, or one of another version."""
    with ExitStack() as stack:
        if request.param:
            yield plugged_brokers(stack, tmp_path, version=request.param)[0]
        else:
            yield request.getfixturevalue("plugged")


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
        second = Carrier(Coordinator(client, TOPIC), 1)
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


@pytest.mark.long
def test_three_hundred_plans_that_are_not_in_order_move_nothing(plugged: Broker) -> None:
    name = f"{TOPIC}-300"
    make_topic(admin_of(plugged.bootstrap), name, SIZE)
    config = plain_config(kafka_config(plugged.bootstrap))
    members = Kip848Members(plugged.bootstrap, name)
    random = Random(1)
    with closing(PlainClient(config, 8)) as client, closing(members):
        (topic,) = read_topics(client, [name]).ids
        members.add()
        members.add()
        until(lambda: sorted(map(len, members.held())) == [3, 3])

        def pieces(shares: list[list[int]], key: str = KEY, other: str = "") -> list[str]:
            assigned = {f"{other}{one}": at for one, at in members.plan(topic, shares).items()}
            return plan_pieces(assigned, {topic: SIZE}, random.getrandbits(64), key.encode(), 2)

        shares = [[0], [1, 2, 3, 4, 5]]
        coordinator = Coordinator(client, name)
        carriers = [Carrier(coordinator, number) for number in range(2)]

        def bring(plan: list[str]) -> None:
            for number, piece in enumerate(plan):
                carriers[number].bring(piece, trigger=number == 1)

        bring(pieces(shares))
        until(lambda: members.held() == shares)
        moved: list[list[int]] = [list(range(SIZE)), []]
        for number in range(300):
            plan = pieces(moved)
            one, piece = random.randrange(2), plan[random.randrange(2)]
            match number % 5:
                case 0:  # another character
                    at = random.randrange(len("equilag:"), len(piece) - 4)
                    other = "A" if piece[at] != "A" else "B"
                    plan[one] = piece[:at] + other + piece[at + 1 :]
                case 1:  # cut
                    plan[one] = piece[: random.randrange(len("equilag:"), len(piece) - 4)]
                case 2:
                    plan = pieces(moved, "guessed")
                case 3:  # mixed
                    plan[one] = pieces(moved)[one]
                case _:  # for other members
                    plan = pieces(moved, other="x")
            bring(plan)
            assert members.held() == shares, (number, plan)
        stays(lambda: members.held() == shares, 2)
        bring(pieces(moved))
        until(lambda: members.held() == moved)


def test_a_broker_without_the_plug_in_is_named(broker: Broker) -> None:
    config = plain_config(kafka_config(broker.bootstrap))
    with closing(PlainClient(config, 8)) as client:
        carriers = GroupCarriers(client, "any")
        with pytest.raises(NoPlugIn, match=f"{CLASS} at: broker 1"):
            carriers.bring({"a": {}}, {}, 1)
