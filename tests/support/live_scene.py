"""A cluster with live groups of every kind, and with groups that are hard to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import support.kafka_records as write
from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaException,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec
from support.child_consumer import ChildConsumer
from support.live_groups import KIP_848, RANGE, STICKY, Partition, every_partition, owned_by, pairs
from support.waiting import PATIENCE_S, until

from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.cluster import connected
from equilag.adapters.kafka.group_state import read_state
from equilag.adapters.kafka.offsets_topic import partitions, read_partition
from equilag.cli import main

TOPICS: Final = {"orders": 6, "users": 4}
PARTITIONS: Final = every_partition(TOPICS)
# None of them has to poll while the others are worked with.
PATIENT: Final = {"max.poll.interval.ms": 1_800_000}
LIVE: Final[dict[str, dict[str, Any]]] = {
    "live-range": {**RANGE, **PATIENT},
    "live-static": {**STICKY, **PATIENT, "group.instance.id": "fixed"},
    "live-848": {**KIP_848, **PATIENT},
}
EMPTY: Final = {"left", "commits-only"}
INJECTED: Final = {"orphan", "forsaken", "newer", "twice"}
"""Groups whose records this broker would not write; it does not know these groups."""
SHARE: Final = "share"
FIRST: Final = {tp: 20 + 7 * number for number, tp in enumerate(PARTITIONS)}
LATER: Final = {tp: 5 * (number % 4) for number, tp in enumerate(PARTITIONS)}
"""Records of each partition: before the first round of the recorded history, and after it."""


@dataclass(frozen=True)
class Scene:
    """A cluster with groups that stand still."""

    bootstrap: str
    members: dict[str, list[ChildConsumer]]

    def committed(self, group: str) -> dict[Partition, int | None]:
        """As the first member says."""
        told = self.members[group][0].committed([TopicPartition(*tp) for tp in PARTITIONS], 20)
        return {(o.topic, o.partition): None if o.offset < 0 else o.offset for o in told}

    def ends(self) -> dict[Partition, int]:
        admin = AdminClient(dict(kafka_config(self.bootstrap)))
        asked = {TopicPartition(*tp): OffsetSpec.latest() for tp in PARTITIONS}
        return {
            (tp.topic, tp.partition): told.result().offset
            for tp, told in admin.list_offsets(asked).items()
        }

    def lags(self, group: str) -> dict[Partition, int]:
        ends = self.ends()
        return {tp: 0 if at is None else ends[tp] - at for tp, at in self.committed(group).items()}

    def owners(self, group: str) -> dict[Partition, str]:
        return {tp: str(m.memberid()) for m in self.members[group] for tp in owned_by(m)}


@contextmanager
def made_scene(bootstrap: str, history: Path | None = None) -> Iterator[Scene]:
    """The groups of LIVE, as long as it lasts, and those of EMPTY, INJECTED and SHARE.

    `history`, if it is asked for, gets one round with all of LIVE before the records of LATER, and
    two after them.
    """
    config = kafka_config(bootstrap)
    admin = AdminClient(dict(config))
    made = admin.create_topics([NewTopic(name, size, 1) for name, size in TOPICS.items()])
    for future in made.values():
        future.result()
    produce(config, FIRST)
    with pairs(config, LIVE, (list(TOPICS), list(TOPICS)), PARTITIONS) as members:
        for number, group in enumerate(members.values()):
            commit(group, number + 1)
        # After a group, as the admin client waits long for a coordinator that is not there yet.
        commits_only(admin)
        with pairs(config, {"left": RANGE}, (list(TOPICS), list(TOPICS)), PARTITIONS) as left:
            commit(left["left"], 2)
        share(config)
        inject(bootstrap)
        if history is not None:
            collect(bootstrap, history, 1)
        produce(config, LATER)
        if history is not None:
            collect(bootstrap, history, 2)
        yield Scene(bootstrap, members)


def produce(config: Config, counts: dict[Partition, int]) -> None:
    producer = Producer(config)
    for (topic, partition), count in counts.items():
        for _ in range(count):
            producer.produce(topic, b"record", partition=partition)
    assert producer.flush(PATIENCE_S) == 0


def commit(members: list[ChildConsumer], step: int) -> None:
    """Other offsets in every group, and none in one partition."""
    for member in members:
        mine = [
            TopicPartition(*tp, step * number)
            for number, tp in enumerate(PARTITIONS)
            if tp in owned_by(member) and tp != ("users", 1)
        ]
        for done in member.commit(offsets=mine, asynchronous=False):
            assert done.error is None


def commits_only(admin: AdminClient) -> None:
    """A group that never had members."""
    at = [TopicPartition("orders", 0, 3), TopicPartition("orders", 2, 4)]

    def committed() -> bool:
        request = [ConsumerGroupTopicPartitions("commits-only", at)]
        with suppress(KafkaException):
            done = admin.alter_consumer_group_offsets(request, request_timeout=5)
            told = done["commits-only"].result().topic_partitions
            return all(one.error is None for one in told)
        return False

    until(committed)


def share(config: Config) -> None:
    """A group of another kind that has had a member."""
    consumer = ShareConsumer({**config, "group.id": SHARE})
    try:
        consumer.subscribe(list(TOPICS))

        def known() -> bool:
            consumer.poll(0.2)
            parts = [read_partition(config, n, PATIENCE_S) for n in numbers]
            return any(SHARE in read_state(p.survivors.items(), {}).unreadable for p in parts)

        with connected(config, PATIENCE_S) as cluster:
            numbers = partitions(cluster)
        until(known)
    finally:
        consumer.close()


def inject(bootstrap: str) -> None:
    """Records as an older, a newer and a confused broker would leave them behind."""
    # Kafka lets nobody else write here.
    producer = Producer({**kafka_config(bootstrap), "client.id": "__admin_client"})
    gone = bytes(15) + b"\x07"
    for partition, key, value in (
        (0, write.commit_key("orphan", "deleted", 0), write.commit(5)),
        (1, write.commit_key("forsaken", "deleted", 0), write.commit(5, 4, tags={0: gone})),
        (2, write.commit_key("newer", "orders", 0), write.commit(5)),
        (2, write.key(2, "newer"), write.int16(99)),
        (0, write.commit_key("twice", "orders", 0), write.commit(5)),
        (3, write.commit_key("twice", "orders", 0), write.commit(6)),
    ):
        producer.produce("__consumer_offsets", value, key, partition)
    assert producer.flush(PATIENCE_S) == 0


def collect(bootstrap: str, folder: Path, rounds: int) -> None:
    """So many rounds with every group of LIVE; one that rebalances is left out of a round."""
    words = ("--every", "1s", "--rounds", "1", "--out", str(folder))
    whole = 0

    def enough() -> bool:
        nonlocal whole
        before = rounds_of(folder)
        assert main(["collect", "--bootstrap-server", bootstrap, *words]) == 0
        whole += all(rounds_of(folder)[group] > before[group] for group in LIVE)
        return whole >= rounds

    until(enough)


def rounds_of(history: Path) -> Counter[str]:
    """In how many rounds a group is."""
    found = {
        (row["group"], row["ts_ms"])
        for path in (history / "offsets").glob("*.parquet")
        for row in pq.read_table(path, columns=["group", "ts_ms"], partitioning=None).to_pylist()
    }
    return Counter(group for group, _ in found)
