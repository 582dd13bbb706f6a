"""500 groups of 100 partitions on one broker, read as a whole within 10 seconds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, Final

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from support.kafka_broker import Broker
from support.waiting import PATIENCE_S, until

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.codec.consumer_protocol import write_assignment, write_subscription
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.group_reader import GroupReader

pytestmark = [pytest.mark.broker, pytest.mark.long]

GROUPS: Final = 500
PARTITIONS: Final = 100
TOPICS: Final = 25
LIMIT_S: Final = 10
_SESSION_MS: Final = 1_200_000


@pytest.fixture(scope="module")
def crowd(broker: Broker) -> Iterator[str]:
    """A cluster with all these groups, each of two members with half of one topic each."""
    plain_client = pytest.importorskip("equilag.adapters.kafka.plain.plain_client")
    config = kafka_config(broker.bootstrap)
    admin = AdminClient(dict(config))
    topics = [f"many-{number}" for number in range(TOPICS)]
    for future in admin.create_topics([NewTopic(t, PARTITIONS, 1) for t in topics]).values():
        future.result()
    producer = Producer(dict(config))
    for topic in topics:
        for partition in range(PARTITIONS):
            for _ in range(5 + partition % 7):
                producer.produce(topic, b"x", partition=partition)
        assert producer.flush(PATIENCE_S) == 0
    for number in range(GROUPS):
        at = [TopicPartition(topics[number % TOPICS], p, 3) for p in range(PARTITIONS)]
        _commit(admin, f"many-{number}", at)
    settings = {"bootstrap_servers": broker.bootstrap}
    with (
        closing(plain_client.PlainClient(settings, 30)) as first,
        closing(plain_client.PlainClient(settings, 30)) as second,
        ThreadPoolExecutor(1) as threads,
    ):
        for number in range(GROUPS):
            _members(first, second, threads, f"many-{number}", topics[number % TOPICS])
        yield broker.bootstrap


def _commit(admin: AdminClient, group: str, at: list[TopicPartition]) -> None:
    def done() -> bool:
        asked = [ConsumerGroupTopicPartitions(group, at)]
        told = admin.alter_consumer_group_offsets(asked)[group].result()
        return all(one.error is None for one in told.topic_partitions)

    until(done)


def _members(first: Any, second: Any, threads: ThreadPoolExecutor, group: str, topic: str) -> None:
    """Two members, who stay for as long as nobody expects a heartbeat."""
    (coordinator,) = first.coordinators([group]).values()
    mine, _ = _join(first, coordinator, group, "", topic)
    other = threads.submit(_join, second, coordinator, group, "", topic)
    rebalancing = ReadFailure("it is rebalancing", state="PreparingRebalance")
    until(lambda: first._described({group: (coordinator, False)})[group] == rebalancing)
    mine, generation = _join(first, coordinator, group, mine, topic)
    theirs, _ = other.result()
    halves = (range(PARTITIONS // 2), range(PARTITIONS // 2, PARTITIONS))
    assigned = {mine: halves[0], theirs: halves[1]}
    given = {name: write_assignment({topic: part}) for name, part in assigned.items()}
    _sync(first, coordinator, group, mine, generation, given)
    _sync(second, coordinator, group, theirs, generation, {})


def _join(client: Any, node: int, group: str, member: str, topic: str) -> tuple[str, int]:
    from kafka.protocol.consumer import JoinGroupRequest

    protocol = JoinGroupRequest.JoinGroupRequestProtocol(
        name="range", metadata=write_subscription([topic])
    )
    request = JoinGroupRequest(
        group_id=group, session_timeout_ms=_SESSION_MS, rebalance_timeout_ms=_SESSION_MS,
        member_id=member, group_instance_id=None, protocol_type="consumer", protocols=[protocol],
        max_version=3,
    )  # fmt: skip
    answer = client.ask(node, request)
    assert answer.error_code == 0, answer
    return answer.member_id, answer.generation_id


def _sync(
    client: Any, node: int, group: str, member: str, generation: int, given: dict[str, bytes]
) -> None:
    from kafka.protocol.consumer import SyncGroupRequest

    kind = SyncGroupRequest.SyncGroupRequestAssignment
    request = SyncGroupRequest(
        group_id=group, generation_id=generation, member_id=member, group_instance_id=None,
        protocol_type="consumer", protocol_name="range",
        assignments=[kind(member_id=name, assignment=data) for name, data in given.items()],
    )  # fmt: skip
    answer = client.ask(node, request)
    assert answer.error_code == 0, answer


def test_all_groups_in_ten_seconds(crowd: str, record_property: Any) -> None:
    with closing(GroupReader(kafka_config(crowd))) as reader:
        begun = time.monotonic()
        found = reader.read_all(lambda name: name.startswith("many-"))
        reading_s = time.monotonic() - begun
    assert len(found.groups) == GROUPS
    assert {len(one.members) for one in found.groups} == {2}
    argv = ["groups", "--bootstrap-server", crowd, "--groups", "many-.*", "--json"]
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "equilag", *argv], capture_output=True, text=True, check=True
    )
    command_s = time.monotonic() - begun
    assert done.stderr == ""
    rows = json.loads(done.stdout)["groups"]
    assert len(rows) == GROUPS
    assert {row["partitions"] for row in rows} == {PARTITIONS}
    record_property("reading_s", reading_s)
    record_property("command_s", command_s)
    sys.stderr.write(f"reading {reading_s:.2f} s, the command {command_s:.2f} s\n")
    assert command_s < LIMIT_S
