"""A coordinator that dies under a group that the steward leads, and a steward that dies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.kafka_broker import Broker, running_brokers, servers
from support.live_churn import ChurnGroup
from support.live_topics import admin_of, fill, make_topic
from support.steward_scene import QUICKLY
from support.waiting import until

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_reader import GroupReader

pytestmark = [pytest.mark.live, pytest.mark.broker]

TOPIC = "t"
PARTITIONS = 12
EVERY = {(TOPIC, number) for number in range(PARTITIONS)}
RECORDS = 2000
"""Of each partition; half of them before the fault."""
QUICK = (*QUICKLY, "--session-timeout", "6s")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def started(tmp_path: Path, stack: ExitStack) -> Callable[[int], list[Broker]]:
    """Start so many brokers, with the topic on all of them."""

    def start(number: int) -> list[Broker]:
        brokers = running_brokers(stack, tmp_path, number)
        make_topic(admin_of(servers(brokers)), TOPIC, PARTITIONS, number)
        return brokers

    return start


def silent(status: dict[str, Any]) -> int:
    """Heartbeats that nobody answered."""
    return int(status["counters"].get("heartbeats:silent", 0))


def led_group(brokers: list[Broker], folder: Path, stack: ExitStack) -> ChurnGroup:
    """Four members that read the topic, and the steward that leads them."""
    fill(servers(brokers), TOPIC, [RECORDS // 2] * PARTITIONS)
    cluster = replace(brokers[0], bootstrap=servers(brokers))
    group = ChurnGroup(cluster, "g", "librdkafka", "cooperative-sticky", [TOPIC], stack)
    group.lead(folder, *QUICK)
    for _ in range(4):
        group.join()
    until(lambda: group.settled(EVERY), 60)
    return group


def test_the_coordinator_is_killed(
    started: Callable[[int], list[Broker]], tmp_path: Path, stack: ExitStack
) -> None:
    brokers = started(3)
    group = led_group(brokers, tmp_path, stack)
    assert group.steward is not None
    reader = GroupReader(kafka_config(servers(brokers)))
    stack.callback(reader.close)
    coordinator = reader.read(group.name).coordinator
    brokers[coordinator - 1].kill()
    fill(servers(brokers), TOPIC, [RECORDS // 2] * PARTITIONS)
    group.steward.wait_for(
        lambda status: (
            status["role"] in ("leader", "follower") and status["last_heartbeat_age_s"] < 1
        ),
        90,
    )
    produced = dict.fromkeys(EVERY, RECORDS)
    until(lambda: not group.read.unread(produced) and group.settled(EVERY), 120)
    newcomer = group.join()
    until(lambda: group.settled(EVERY) and len(group.log.held()[newcomer]) >= 2, 60)
    assert group.steward.status()["role"] == "leader"
    assert not group.log.twice()


def test_members_join_a_steward_that_was_alone_when_the_broker_restarted(
    started: Callable[[int], list[Broker]], tmp_path: Path, stack: ExitStack
) -> None:
    """The coordinator has forgotten all of its protocols but the one in use, `range`."""
    (broker,) = started(1)
    group = ChurnGroup(broker, "g", "librdkafka", "cooperative-sticky", [TOPIC], stack)
    steward = group.lead(tmp_path, *QUICK)
    before = steward.status()
    broker.stop()
    # It cannot know of a restart between two of its heartbeats.
    steward.wait_for(lambda status: silent(status) > silent(before), 60)
    broker.start_again()
    steward.wait_for(
        lambda status: (
            status["role"] == "leader"
            and status["generation"] > before["generation"]  # joined anew, with all protocols
            and status["last_heartbeat_age_s"] < 1
        ),
        60,
    )
    group.join()
    until(lambda: group.settled(EVERY), 60)
