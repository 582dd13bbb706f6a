"""Groups of a real broker, read as they are: the cases in which members, commits and logs differ
from what one would expect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, Final

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, ResourceType
from support.child_consumer import ChildConsumer
from support.kafka_broker import Broker
from support.live_groups import (
    KIP_848,
    RANGE,
    STICKY,
    add_user,
    allow,
    every_partition,
    login,
    owned_by,
    pairs,
)
from support.waiting import PATIENCE_S, until

from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.group_reader import (
    GroupReader,
    MissingRight,
    Reading,
    TemporarilyUnreadable,
)
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.lag import QUALITY

pytestmark = [pytest.mark.broker]

TOPICS: Final = {"read-orders": 3, "read-users": 2}
PARTITIONS: Final = every_partition(TOPICS)
RECORDS: Final = 10


@pytest.fixture(scope="module")
def config(broker: Broker) -> Config:
    """Settings for a cluster with TOPICS in it, RECORDS in each of their partitions."""
    config = kafka_config(broker.bootstrap)
    make(config, TOPICS)
    return config


@pytest.fixture(scope="module")
def admin(config: Config) -> AdminClient:
    return AdminClient(dict(config))


@pytest.fixture(scope="module")
def reader(config: Config) -> Iterator[GroupReader]:
    with closing(GroupReader(config)) as reader:
        yield reader


def make(config: Config, topics: Mapping[str, int]) -> None:
    admin = AdminClient(dict(config))
    for future in admin.create_topics([NewTopic(t, n, 1) for t, n in topics.items()]).values():
        future.result()
    producer = Producer(dict(config))
    for topic, partition in every_partition(topics):
        for _ in range(RECORDS):
            producer.produce(topic, b"record", partition=partition)
    assert producer.flush(PATIENCE_S) == 0


def commit(admin: AdminClient, group: str, offsets: Mapping[tuple[str, int], int]) -> None:
    """Commits of a group without members."""
    asked = [
        ConsumerGroupTopicPartitions(
            group, [TopicPartition(*tp, offset) for tp, offset in offsets.items()]
        )
    ]

    def done() -> bool:
        told = admin.alter_consumer_group_offsets(asked)[group].result()
        return all(one.error is None for one in told.topic_partitions)

    until(done)


def loaded(reading: Reading, reset: str = "latest") -> Group:
    return Group.build(**reading.group_input(reset))


def quality(group: Group) -> list[str]:
    return [QUALITY[mark] for mark in group.quality.tolist()]


def test_members_of_all_kinds(config: Config, reader: GroupReader) -> None:
    kinds: dict[str, Mapping[str, Any]] = {
        "read-range": RANGE,
        "read-sticky": {**STICKY, "group.instance.id": "classic", "client.id": "app"},
        "read-848": KIP_848,
        "read-848-static": {**KIP_848, "group.instance.id": "new"},
    }
    protocols = {"read-range": "range", "read-sticky": "cooperative-sticky"}
    topics = (sorted(TOPICS), ["^read-(orders|users)$"])
    with pairs(config, kinds, topics, PARTITIONS) as made:
        for name, members in made.items():
            for member in members:
                mine = [TopicPartition(*tp, 4) for tp in owned_by(member)]
                member.commit(offsets=mine, asynchronous=False)
            found = reader.read(name)
            assert (found.group, found.remarks) == (name, [])
            assert found.kind == ("consumer" if "848" in name else "classic")
            assert (found.state, found.coordinator) == ("Stable", 1)
            assert found.protocol == protocols.get(name, "uniform")
            by_id = {one.id: one for one in found.members}
            for number, member in enumerate(members):
                one = by_id.pop(member.memberid())
                assert one.topics == tuple(sorted(TOPICS))  # a pattern is resolved
                assert every(one.owned) == owned_by(member)
                assert (one.rack, one.host) == (f"rack-{number}", "127.0.0.1")
                assert one.client_id == kinds[name].get("client.id", "equilag")
                instance = kinds[name].get("group.instance.id")
                assert one.instance_id == (instance and f"{instance}-{number}")
                assert (one.generation is None) == (found.kind == "classic")
            assert not by_id
            group = loaded(found)
            assert group.lag.tolist() == [RECORDS - 4] * len(PARTITIONS)
            assert (group.owner >= 0).all()
            assert group.racks == (("here",),) * len(PARTITIONS)
            assert {member.host for member in group.members} == {"127.0.0.1"}
        # No member was disturbed; the lag alone can be read as well.
        for name, members in made.items():
            assert sorted(tp for one in members for tp in owned_by(one)) == PARTITIONS
            offsets = reader.lags(name, TOPICS, timeout=5)
            assert offsets == reader.read(name).offsets
        # The kind that a group had is remembered; a group may come back as another.
        assert reader.read_all(lambda name: name in kinds).left_out == {}
        assert [one.group for one in reader.read_all(kinds.__contains__).groups] == sorted(kinds)
    left = reader.read("read-848")
    assert (left.state, left.members) == ("Empty", [])
    assert left.remarks == ["no members, so nothing is subscribed"]
    away = loaded(reader.read("read-848-static"))  # static members may come back
    assert {member.generation for member in away.members} == {-1}
    assert (away.owner >= 0).all()


def every(owned: Mapping[str, list[int]]) -> list[tuple[str, int]]:
    return sorted((topic, number) for topic, numbers in owned.items() for number in numbers)


def test_commits_of_all_kinds(config: Config, admin: AdminClient, reader: GroupReader) -> None:
    make(config, {"read-odd": 4})
    for future in admin.delete_records([TopicPartition("read-odd", 2, 6)]).values():
        future.result()
    commit(admin, "read-odd", {("read-odd", 0): 3, ("read-odd", 1): 99, ("read-odd", 2): 1})
    found = reader.read("read-odd")
    assert found.offsets.log_start == {"read-odd": [0, 0, 6, 0]}
    assert found.offsets.log_end == {"read-odd": [RECORDS] * 4}
    assert found.offsets.committed == {"read-odd": [3, 99, 1, None]}
    assert found.remarks == [
        "no members, so nothing is subscribed",
        "commit ahead of the log's end: read-odd-1",
        "commit below the log's start: read-odd-2",
        f"{NO_COMMIT}: read-odd-3",
    ]
    group = loaded(found)
    assert quality(group) == ["ok", "ahead_of_end", "below_log_start", "no_commit"]
    assert group.lag.tolist() == [7, 0, 4, 0]
    assert loaded(found, "earliest").lag.tolist() == [7, 0, 4, RECORDS]


def test_a_topic_that_goes_while_the_group_still_wants_it(
    config: Config, admin: AdminClient, reader: GroupReader
) -> None:
    make(config, {"read-doomed": 1, "read-kept": 1})
    both = {("read-doomed", 0): 5, ("read-kept", 0): 5}
    commit(admin, "read-left-behind", both)
    with closing(ChildConsumer({**config, **RANGE, "group.id": "read-doomed"})) as member:
        member.subscribe(["read-doomed", "read-kept"])
        until(lambda: member.poll(0.05) is None and len(member.assignment()) == 2)
        admin.delete_topics(["read-doomed"])["read-doomed"].result()
        until(lambda: "read-doomed" not in admin.list_topics(timeout=5).topics)
        found = reader.read("read-doomed")
        assert "subscribed topics that do not exist: read-doomed" in found.remarks
        assert found.offsets.sizes == {"read-kept": 1}
        assert loaded(found).dropped_claims == 1
    offsets = reader.lags("read-left-behind", ["read-doomed", "read-kept"])
    assert offsets.committed == {"read-kept": [5]}
    assert offsets.remarks == ["there is no topic 'read-doomed'"]
    until(lambda: reader.read("read-left-behind").remarks[1:] == [])
    assert reader.read("read-left-behind").offsets.sizes == {"read-kept": 1}


def test_an_open_transaction(config: Config, admin: AdminClient, reader: GroupReader) -> None:
    make(config, {"read-open": 1})
    commit(admin, "read-open", {("read-open", 0): 2})
    producer = Producer({**config, "transactional.id": "read-open"})
    producer.init_transactions(PATIENCE_S)
    producer.begin_transaction()
    producer.produce("read-open", b"x", partition=0)
    producer.flush(PATIENCE_S)
    with closing(GroupReader(config, isolation="read_committed")) as careful:
        ends = [one.read("read-open").offsets.log_end for one in (reader, careful)]
        assert ends == [{"read-open": [RECORDS + 1]}, {"read-open": [RECORDS]}]
        assert careful.lags("read-open", ["read-open"]).log_end == ends[1]
    producer.abort_transaction(PATIENCE_S)


def test_groups_that_are_not_there(reader: GroupReader) -> None:
    with pytest.raises(InputError, match="there is no group 'read-nobody' "):
        reader.read("read-nobody")
    with pytest.raises(InputError, match="group: is empty"):
        reader.read("")
    # Lag alone cannot show it: a group that never existed has no commits.
    offsets = reader.lags("read-nobody", ["read-users"])
    assert offsets.committed == {"read-users": [None, None]}
    assert reader.lags("read-nobody", []).sizes == {}


@pytest.mark.long
def test_a_group_that_rebalances(config: Config, admin: AdminClient, reader: GroupReader) -> None:
    with pairs(config, {"read-busy": RANGE}, (sorted(TOPICS), sorted(TOPICS)), PARTITIONS):
        third = ChildConsumer({**config, **RANGE, "group.id": "read-busy"})
        with closing(third):
            third.subscribe(sorted(TOPICS))

            def rebalancing() -> bool:
                told = admin.describe_consumer_groups(["read-busy"])["read-busy"].result()
                return "REBALANC" in told.state.name

            until(rebalancing)
            with pytest.raises(
                TemporarilyUnreadable, match="'read-busy' cannot be read now: it is rebal"
            ) as now:
                reader.read("read-busy")
            assert now.value.state == "PreparingRebalance"
            # The steward's question is answered all the same.
            assert reader.lags("read-busy", TOPICS).sizes == TOPICS
            found = reader.read_all(lambda name: name == "read-busy")
            assert (found.groups, found.left_out) == ([], {"read-busy": "it is rebalancing"})


@pytest.mark.parametrize("kind", ["classic", pytest.param("848", marks=pytest.mark.long)])
def test_a_right_that_is_missing(
    broker: Broker, config: Config, admin: AdminClient, kind: str
) -> None:
    user, topic = f"reader-{kind}", f"read-secret-{kind}"
    add_user(admin, user, "r")
    make(config, {topic: 1})
    settings = {"group.id": topic, **(RANGE if kind == "classic" else KIP_848)}
    with (
        closing(ChildConsumer({**config, **settings})) as member,
        closing(GroupReader(kafka_config(broker.sasl, login(user, "r")))) as reader,
    ):
        member.subscribe([topic])
        until(lambda: member.poll(0.05) is None and len(member.assignment()) == 1)
        for ask in (lambda: reader.read(topic), lambda: reader.lags(topic, [topic])):
            with pytest.raises(MissingRight) as caught:
                ask()
            expected = f"{broker.sasl}: needs the right Describe on Group {topic!r}"
            assert str(caught.value) == expected
        assert reader.read_all().groups == []  # nor is it listed
        allow(admin, user, ResourceType.GROUP, topic)
        lacking = r"needs the right Describe on (Topic|every Topic of group) "
        until(lambda: topic in reader.read_all(lambda name: name == topic).left_out)
        with pytest.raises(MissingRight, match=f"{lacking}'{topic}'"):
            reader.read(topic)
        with pytest.raises(MissingRight, match=f"needs the right Describe on Topic '{topic}'"):
            reader.lags(topic, [topic])
        allow(admin, user, ResourceType.TOPIC, topic)

        def readable() -> bool:
            return reader.read_all(lambda name: name == topic).left_out == {}

        until(readable)
        assert reader.read(topic).offsets.log_end == {topic: [RECORDS]}
        assert reader.lags(topic, [topic]).sizes == {topic: 1}


def test_a_wrong_password(
    broker: Broker, admin: AdminClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_user(admin, "reader-known", "r")
    monkeypatch.setattr("equilag.adapters.kafka.cluster.WAIT_S", 1.5)
    with pytest.raises(InputError, match="uthentication failed") as caught:
        GroupReader(kafka_config(broker.sasl, login("reader-known", "wrong")))
    assert caught.value.source == broker.sasl
