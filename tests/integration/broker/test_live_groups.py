"""Groups of a real broker: what is read from `__consumer_offsets` is what their members say."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import pytest
import support.kafka_records as write
from confluent_kafka import Producer, ShareConsumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from support.child_consumer import ChildConsumer
from support.kafka_broker import Broker
from support.live_groups import KIP_848, RANGE, STICKY, every_partition, owned_by, pairs
from support.waiting import PATIENCE_S, until

from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.cluster import connected
from equilag.adapters.kafka.codec.offsets_codec import read_commit
from equilag.adapters.kafka.group_state import Commit, GroupState, Membership, read_state
from equilag.adapters.kafka.offsets_topic import (
    PartitionRecords,
    check_not_empty,
    partitions,
    read_partition,
)

pytestmark = [pytest.mark.broker]

TOPICS: Final = {"livegroups-orders": 5, "livegroups-users": 3}
PARTITIONS: Final = every_partition(TOPICS)
PATTERN: Final = "^livegroups-.*"


@pytest.fixture(scope="module")
def config(broker: Broker) -> Config:
    """Settings for a cluster with TOPICS in it."""
    config = kafka_config(broker.bootstrap)
    admin = AdminClient(dict(config))
    made = admin.create_topics([NewTopic(name, size, 1) for name, size in TOPICS.items()])
    for future in made.values():
        future.result()
    return config


@contextmanager
def group(
    config: Config, name: str, settings: Mapping[str, Any], topics: list[str] | None = None
) -> Iterator[list[ChildConsumer]]:
    """Two members of a group that have shared all partitions among them."""
    subscribed = topics or list(TOPICS)
    with pairs(config, {name: settings}, (subscribed, subscribed), PARTITIONS) as made:
        yield made[name]


def commit_something(members: list[ChildConsumer]) -> None:
    """All but one partition: 10, 11, … by topic and number."""
    for member in members:
        mine = [
            TopicPartition(*partition, 10 + number)
            for number, partition in enumerate(PARTITIONS)
            if partition in owned_by(member) and partition != ("livegroups-users", 2)
        ]
        for done in member.commit(offsets=mine, asynchronous=False):
            assert done.error is None


def read_parts(config: Config) -> list[PartitionRecords]:
    with connected(config, PATIENCE_S) as cluster:
        numbers = partitions(cluster)
    return [read_partition(config, number, 20) for number in numbers]


def read(config: Config) -> GroupState:
    """The state of all groups of the cluster."""
    parts = read_parts(config)
    check_not_empty(config, sum(p.end - p.begin for p in parts), sum(p.read for p in parts))
    with connected(config, PATIENCE_S) as cluster:
        names = cluster.topics().ids
    whole = GroupState([], [], {}, {}, {})
    for part in parts:
        state = read_state(part.survivors.items(), names)
        whole.commits.extend(state.commits)
        whole.memberships.extend(state.memberships)
        whole.groups.update(state.groups)
        whole.unreadable.update(state.unreadable)
        whole.not_understood.update(state.not_understood)
    return whole


def commits_of(state: GroupState, name: str) -> dict[tuple[str, int], Commit]:
    return {(c.topic, c.partition): c for c in state.commits if c.group == name}


def members_of(state: GroupState, name: str) -> dict[str, Membership]:
    return {m.member: m for m in state.memberships if m.group == name}


def check_equal(state: GroupState, name: str, kind: str, members: list[ChildConsumer]) -> None:
    """Everything that the two members can tell is in `state`, and nothing else."""
    before = time.time() * 1000
    assert state.groups[name] == kind
    assert name not in state.unreadable
    # Other tests may leave groups of other kinds behind, but none that cannot be read.
    assert not any("broken" in what or " value v" in what for what in state.not_understood)
    told = {
        (one.topic, one.partition): (one.offset, one.leader_epoch)
        for one in members[0].committed([TopicPartition(*p) for p in PARTITIONS], 10)
        if one.offset >= 0
    }
    found = commits_of(state, name)
    assert {at: (c.committed, c.leader_epoch) for at, c in found.items()} == told
    assert len(told) == len(PARTITIONS) - 1
    assert all(before - 120_000 < c.timestamp_ms <= before for c in found.values())

    shown = members_of(state, name)
    assert set(shown) == {member.memberid() for member in members}
    for number, member in enumerate(members):
        one = shown[member.memberid()]
        flat = [(topic, p) for topic, numbers in one.owned.items() for p in numbers]
        assert flat == owned_by(member)
        assert one.subscription == sorted(TOPICS)
        assert one.kind == kind
        # librdkafka sends its rack to classic groups from the versions on that know KIP-881.
        assert one.rack == f"rack-{number}"
        assert one.generation is not None
        assert one.generation >= 1


@pytest.mark.parametrize(
    ("name", "settings", "kind", "topics"),
    [
        ("live-range", RANGE, "classic", [PATTERN]),
        pytest.param("live-sticky", STICKY, "classic", list(TOPICS), marks=pytest.mark.long),
        ("live-kip848", KIP_848, "consumer", [PATTERN]),
    ],
)
def test_members_and_commits(
    config: Config, name: str, settings: Mapping[str, Any], kind: str, topics: list[str]
) -> None:
    """A pattern is resolved by a classic client, which sends names, or by the broker."""
    with group(config, name, settings, topics) as members:
        commit_something(members)
        state = read(config)
        check_equal(state, name, kind, members)
        assert {m.instance_id for m in members_of(state, name).values()} == {None}
    left = read(config)
    assert members_of(left, name) == {}
    assert left.groups[name] == kind
    assert commits_of(left, name) == commits_of(state, name)
    # The broker writes the newest version of commits.
    parts = read_parts(config)
    prefix = write.int16(1) + write.text(name)
    values = [v for p in parts for k, v in p.survivors.items() if k.startswith(prefix)]
    assert len(values) == len(PARTITIONS) - 1
    assert {value[:2] for value in values} == {write.int16(4)}
    assert all(read_commit(value).topic_id for value in values)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "settings", "kind"),
    [("live-static", RANGE, "classic"), ("live-static-848", KIP_848, "consumer")],
)
def test_static_members(config: Config, name: str, settings: Mapping[str, Any], kind: str) -> None:
    with group(config, name, {**settings, "group.instance.id": "static"}) as members:
        commit_something(members)
        state = read(config)
        check_equal(state, name, kind, members)
        shown = members_of(state, name)
        assert [shown[m.memberid()].instance_id for m in members] == ["static-0", "static-1"]
    # They do not leave when they close.
    left = members_of(read(config), name)
    assert {m.instance_id: m.owned for m in left.values()} == {
        m.instance_id: m.owned for m in shown.values()
    }


@pytest.mark.long
def test_all_groups_at_once_and_no_trace_of_the_reader(config: Config) -> None:
    admin = AdminClient(dict(config))
    with group(config, "live-both-1", RANGE) as one, group(config, "live-both-2", KIP_848) as two:
        commit_something(one)
        commit_something(two)
        state = read(config)
        check_equal(state, "live-both-1", "classic", one)
        check_equal(state, "live-both-2", "consumer", two)
        listed = {g.group_id for g in admin.list_consumer_groups().result().valid}
        again = read(config)
        for name in ("live-both-1", "live-both-2"):  # reading moved no member
            assert members_of(again, name) == members_of(state, name)
    assert {"live-both-1", "live-both-2"} <= listed
    # Every consumer has a group's name; that of the reader must not become one.
    assert not any(name.startswith("equilag-reads") for name in listed | set(again.groups))


def test_share_groups_are_counted_and_named(config: Config) -> None:
    consumer = ShareConsumer({**config, "group.id": "live-share"})
    consumer.subscribe(list(TOPICS))
    try:

        def known() -> bool:
            consumer.poll(0.2)
            return "live-share" in read(config).unreadable

        until(known)
        state = read(config)
    finally:
        consumer.close()
    assert state.unreadable["live-share"].startswith("share group ")
    assert state.not_understood["share group metadata (key 11)"] >= 1
    assert "live-share" not in state.groups


@pytest.mark.long
def test_a_deleted_group_is_gone(config: Config) -> None:
    admin = AdminClient(dict(config))
    with group(config, "live-deleted", RANGE) as members:
        commit_something(members)
    assert commits_of(read(config), "live-deleted")
    for future in admin.delete_consumer_groups(["live-deleted"]).values():
        future.result()
    state = read(config)
    assert commits_of(state, "live-deleted") == {}
    assert "live-deleted" not in state.groups


@pytest.mark.long
def test_commits_in_transactions_count_when_the_transaction_does(config: Config) -> None:
    name = "live-transactions"
    producer = Producer({**config, "transactional.id": "live", "transaction.timeout.ms": 60_000})
    producer.init_transactions(PATIENCE_S)

    def send(member: ChildConsumer, offset: int) -> None:
        producer.begin_transaction()
        here = [TopicPartition("livegroups-orders", 0, offset)]
        producer.send_offsets_to_transaction(here, member.consumer_group_metadata(), PATIENCE_S)

    def committed() -> int:
        return commits_of(read(config), name)["livegroups-orders", 0].committed

    with group(config, name, RANGE) as (member, _):
        send(member, 5)
        producer.commit_transaction(PATIENCE_S)
        assert committed() == 5
        send(member, 9)
        producer.abort_transaction(PATIENCE_S)
        assert committed() == 5
        send(member, 11)  # left open
        try:
            assert committed() == 5
            parts = read_parts(config)
            assert [part.held_back > 0 for part in parts].count(True) == 1
        finally:
            producer.commit_transaction(PATIENCE_S)
        assert committed() == 11
        told = member.committed([TopicPartition("livegroups-orders", 0)], 10)
        assert told[0].offset == 11
        parts = read_parts(config)
        assert [part.held_back for part in parts] == [0] * len(parts)
