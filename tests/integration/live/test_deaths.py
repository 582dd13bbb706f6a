"""A coordinator that dies under a group that the steward leads, and a steward that dies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.kafka_broker import running_brokers, servers
from support.steward_scene import QUICKLY

from benchmarks.kafka_broker import Broker
from benchmarks.live.churn_group import ChurnGroup
from benchmarks.live.topics import admin_of, make_topic
from benchmarks.waiting import until

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
