"""Groups of a real broker, read as they are: the cases in which members, commits and logs differ
from what one would expect. Those in which nothing does: see `test_readings_live`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Final

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ResourceType
from support.child_consumer import ChildConsumer
from support.live_groups import KIP_848, RANGE, add_user, allow, login, pairs

from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import commit, delete_topic, fill, make_topic
from benchmarks.waiting import PATIENCE_S, until
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.described import MissingRight, TemporarilyUnreadable
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import NO_COMMIT, Reading
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.group.lag import QUALITY

pytestmark = [pytest.mark.broker]

RECORDS: Final = 10


@pytest.fixture(scope="module")
def config(broker: Broker) -> Config:
    return kafka_config(broker.bootstrap)


@pytest.fixture(scope="module")
def reader(config: Config) -> Iterator[GroupReader]:
    with closing(GroupReader(config)) as reader:
        yield reader


def make(admin: AdminClient, config: Config, topic: str, partitions: int = 1) -> None:
    """A topic with RECORDS in each partition."""
    make_topic(admin, topic, partitions)
    fill(config["bootstrap.servers"], topic, [RECORDS] * partitions)


def loaded(reading: Reading, reset: str = "latest") -> Group:
    return Group.build(**reading.group_input(reset))


def test_commits_of_all_kinds(config: Config, admin: AdminClient, reader: GroupReader) -> None:
    make(admin, config, "read-odd", 4)
    for future in admin.delete_records([TopicPartition("read-odd", 2, 6)]).values():
        future.result()
    commit(admin, "read-odd", {"read-odd": [3, 99, 1]})
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
    marks = [QUALITY[mark] for mark in group.quality.tolist()]
    assert marks == ["ok", "ahead_of_end", "below_log_start", "no_commit"]
    assert group.lag.tolist() == [7, 0, 4, 0]
    assert loaded(found, "earliest").lag.tolist() == [7, 0, 4, RECORDS]


def test_a_topic_that_goes_while_the_group_still_wants_it(
    config: Config, admin: AdminClient, reader: GroupReader
) -> None:
    for topic in ("read-doomed", "read-kept"):
        make(admin, config, topic)
    commit(admin, "read-left-behind", {"read-doomed": [5], "read-kept": [5]})
    with closing(ChildConsumer({**config, **RANGE, "group.id": "read-doomed"})) as member:
        member.subscribe(["read-doomed", "read-kept"])
        until(lambda: member.poll(0.05) is None and len(member.assignment()) == 2)
        delete_topic(admin, "read-doomed")
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
    make(admin, config, "read-open")
    commit(admin, "read-open", {"read-open": [2]})
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


def test_groups_that_are_not_there(config: Config, admin: AdminClient, reader: GroupReader) -> None:
    with pytest.raises(InputError, match="there is no group 'read-nobody' "):
        reader.read("read-nobody")
    with pytest.raises(InputError, match="group: is empty"):
        reader.read("")
    # Lag alone cannot show it: a group that never existed has no commits.
    make_topic(admin, "read-unread", 2)
    assert reader.lags("read-nobody", ["read-unread"]).committed == {"read-unread": [None, None]}
    assert reader.lags("read-nobody", []).sizes == {}


@pytest.mark.long
def test_a_group_that_rebalances(config: Config, admin: AdminClient, reader: GroupReader) -> None:
    make_topic(admin, "read-busy", 2)
    shared = [("read-busy", 0), ("read-busy", 1)]
    with (
        pairs(config, {"read-busy": RANGE}, (["read-busy"], ["read-busy"]), shared),
        closing(ChildConsumer({**config, **RANGE, "group.id": "read-busy"})) as third,
    ):
        third.subscribe(["read-busy"])

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
        assert reader.lags("read-busy", ["read-busy"]).sizes == {"read-busy": 2}
        found = reader.read_all(lambda name: name == "read-busy")
        assert (found.groups, found.left_out) == ([], {"read-busy": "it is rebalancing"})


@pytest.mark.long
@pytest.mark.parametrize("kind", ["classic", "848"])
def test_a_right_that_is_missing(
    broker: Broker, config: Config, admin: AdminClient, kind: str
) -> None:
    user, topic = f"reader-{kind}", f"read-secret-{kind}"
    add_user(admin, user, "r")
    make(admin, config, topic)
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
        until(lambda: reader.read_all(lambda name: name == topic).left_out == {})
        assert reader.read(topic).offsets.log_end == {topic: [RECORDS]}
        assert reader.lags(topic, [topic]).sizes == {topic: 1}
