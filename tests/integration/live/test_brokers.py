"""Brokers that go away under a group that the steward leads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.kafka_broker import Broker, NoBroker, start_broker, start_brokers
from support.live_figures import keep
from support.live_members import RdMember
from support.live_topics import admin_of, fill, make_topic
from support.waiting import stays, until

from benchmarks.live.assignment_log import Log
from benchmarks.live.steward_run import StewardRun
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_reader import GroupReader

pytestmark = [pytest.mark.live, pytest.mark.broker]

PARTITIONS = 12
RECORDS = 2000
QUICKLY = ("--every", "1s", "--session-timeout", "6s", "--confirm", "2", "--cooldown", "5s")


class Group:
    """Members that read a topic, and the steward that leads them."""

    def __init__(self, bootstrap: str, folder: Path, name: str, stack: ExitStack) -> None:
        self.log, self.name = Log(), name
        self.steward = StewardRun(folder, bootstrap, name, *QUICKLY)
        stack.callback(self.steward.end)
        self.steward.has("leader", 60)
        self.members = [
            RdMember(
                self.log, f"rd-{number}", bootstrap, name, [name], None,
                partition_assignment_strategy="cooperative-sticky",
            )
            for number in range(4)
        ]  # fmt: skip
        for member in self.members:
            stack.callback(member.stop)

    def shared(self) -> bool:
        owners = self.log.owners()
        return len(owners) == PARTITIONS and all(len(one) == 1 for one in owners.values())

    def lost(self) -> int:
        """Records that nobody read, of RECORDS in each partition."""
        total = 0
        for number in range(PARTITIONS):
            read: set[int] = set()
            for member in self.members:
                for first, last in member.read[(self.name, number)]:
                    read.update(range(first, last + 1))
            total += RECORDS - len(read & set(range(RECORDS)))
        return total


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Broker]]:
    try:
        brokers = start_brokers(tmp_path, 3)
    except NoBroker as error:
        pytest.skip(str(error))
    yield brokers
    for broker in brokers:
        broker.stop()


def test_the_coordinator_is_killed(three: list[Broker], tmp_path: Path) -> None:
    servers = ",".join(broker.bootstrap for broker in three)
    make_topic(admin_of(servers), "t", PARTITIONS, 3)
    fill(servers, "t", [RECORDS // 2] * PARTITIONS)
    with ExitStack() as stack:
        here = Group(servers, tmp_path, "t", stack)
        until(here.shared, 60)
        reader = GroupReader(kafka_config(servers))
        stack.callback(reader.close)
        coordinator = reader.read("t").coordinator
        handouts = len(here.steward.events("handed-out"))
        killed = time.monotonic()
        three[coordinator - 1].kill()
        fill(servers, "t", [RECORDS // 2] * PARTITIONS)
        here.steward.wait_for(
            lambda status: (
                status["role"] in ("leader", "follower") and status["last_heartbeat_age_s"] < 1
            ),
            90,
        )
        answered = time.monotonic() - killed
        until(lambda: here.lost() == 0 and here.shared(), 120)
        read_all = time.monotonic() - killed
        newcomer = RdMember(
            here.log, "rd-new", servers, "t", ["t"], None,
            partition_assignment_strategy="cooperative-sticky",
        )  # fmt: skip
        stack.callback(newcomer.stop)
        until(lambda: here.shared() and len(here.log.held().get("rd-new", ())) >= 2, 60)
        role = here.steward.status()["role"]
        keep(
            "coordinator-killed",
            {
                "heartbeats_answered_again_s": round(answered, 1),
                "all_read_s": round(read_all, 1),
                "role_after": role,
                "handouts_before": handouts,
                "handouts": len(here.steward.events("handed-out")),
                "two_owners": len(here.log.twice()),
                "records_not_read": here.lost(),
            },
        )
        assert role == "leader"
        assert not here.log.twice()


def test_the_only_broker_restarts(tmp_path: Path) -> None:
    try:
        broker = start_broker(tmp_path)
    except NoBroker as error:
        pytest.skip(str(error))
    with ExitStack() as stack:
        stack.callback(broker.stop)
        make_topic(admin_of(broker.bootstrap), "t", PARTITIONS)
        fill(broker.bootstrap, "t", [RECORDS // 2] * PARTITIONS)
        here = Group(broker.bootstrap, tmp_path, "t", stack)
        until(here.shared, 60)
        broker.stop()
        time.sleep(5)  # the length of the fault
        broker.start_again()
        back = time.monotonic()
        fill(broker.bootstrap, "t", [RECORDS // 2] * PARTITIONS)
        here.steward.wait_for(
            lambda status: (
                status["role"] in ("leader", "follower") and status["last_heartbeat_age_s"] < 1
            ),
            90,
        )
        answered = time.monotonic() - back
        until(lambda: here.lost() == 0 and here.shared(), 120)
        role = here.steward.status()["role"]
        keep(
            "broker-restarted",
            {
                "heartbeats_answered_again_s": round(answered, 1),
                "all_read_s": round(time.monotonic() - back, 1),
                "role_after": role,
                "two_owners": len(here.log.twice()),
                "records_not_read": here.lost(),
            },
        )
        assert not here.log.twice()
        assert role == "leader"


def test_members_join_a_steward_that_was_alone_when_the_broker_restarted(tmp_path: Path) -> None:
    """The coordinator has forgotten all of its protocols but the one in use, `range`."""
    try:
        broker = start_broker(tmp_path)
    except NoBroker as error:
        pytest.skip(str(error))
    with ExitStack() as stack:
        stack.callback(broker.stop)
        make_topic(admin_of(broker.bootstrap), "t", PARTITIONS)
        steward = StewardRun(tmp_path, broker.bootstrap, "t", *QUICKLY)
        stack.callback(steward.end)
        steward.has("leader", 60)
        broker.stop()
        broker.start_again()
        steward.wait_for(
            lambda status: status["role"] == "leader" and status["last_heartbeat_age_s"] < 1, 60
        )
        stays(lambda: steward.process.poll() is None, 5)
        log = Log()
        member = RdMember(
            log, "rd-0", broker.bootstrap, "t", ["t"],
            partition_assignment_strategy="cooperative-sticky",
        )  # fmt: skip
        stack.callback(member.stop)
        until(lambda: len(log.held().get("rd-0", ())) == PARTITIONS, 30)
