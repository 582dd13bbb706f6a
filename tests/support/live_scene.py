"""A cluster with groups of every kind that stand still."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow.parquet as pq
from confluent_kafka import ShareConsumer, TopicPartition
from support.child_consumer import ChildConsumer
from support.live_groups import KIP_848, RANGE, STICKY, Partition, every_partition, owned_by, pairs

from benchmarks.live.topics import admin_of, commit, fill, make_topic
from benchmarks.waiting import until
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.plain.plain_requests import list_groups

TOPICS: Final = {"orders": 6, "users": 4}
SUBSCRIPTIONS: Final = (["orders"], ["^(orders|users)$"])
"""Of the first and the second member of each group. A classic client resolves the pattern itself,
else the broker does."""
RESOLVED: Final = (["orders"], ["orders", "users"])
PARTITIONS: Final = every_partition(TOPICS)
UNCOMMITTED: Final = ("users", 1)
# None of them has to poll while the others are worked with.
PATIENT: Final = {"max.poll.interval.ms": 1_800_000}
LIVE: Final[dict[str, dict[str, Any]]] = {
    "live-range": {**RANGE, **PATIENT},
    "live-static": {**STICKY, **PATIENT, "group.instance.id": "fixed", "client.id": "app"},
    "live-848": {**KIP_848, **PATIENT},
    "live-848-static": {**KIP_848, **PATIENT, "group.instance.id": "new"},
}
LEFT: Final = {"left": RANGE, "left-848": KIP_848}
EMPTY: Final = {*LEFT, "commits-only"}
SHARE: Final = "share"
RECORDS: Final = {tp: 20 + 12 * number for number, tp in enumerate(PARTITIONS)}


class Seen(NamedTuple):
    """What a member says of itself, or what is read of it."""

    topics: list[str]
    owned: list[Partition]
    rack: str | None
    instance: str | None


@dataclass(frozen=True)
class Scene:
    """A cluster with groups that stand still, as their members know them."""

    bootstrap: str
    members: dict[str, list[ChildConsumer]]

    def committed(self, group: str) -> dict[Partition, int | None]:
        told = self.members[group][0].committed([TopicPartition(*tp) for tp in PARTITIONS], 20)
        return {(o.topic, o.partition): None if o.offset < 0 else o.offset for o in told}

    def ends(self) -> dict[Partition, int]:
        one = self.members["live-range"][0]
        return {tp: one.get_watermark_offsets(TopicPartition(*tp), 20)[1] for tp in PARTITIONS}

    def lags(self, group: str) -> dict[Partition, int]:
        ends = self.ends()
        return {tp: 0 if at is None else ends[tp] - at for tp, at in self.committed(group).items()}

    def owners(self, group: str) -> dict[Partition, str]:
        return {tp: str(m.memberid()) for m in self.members[group] for tp in owned_by(m)}

    def seen(self, group: str) -> dict[str, Seen]:
        instance = LIVE[group].get("group.instance.id")
        return {
            member.memberid(): Seen(
                topics, owned_by(member), f"rack-{number}", instance and f"{instance}-{number}"
            )
            for number, (member, topics) in enumerate(
                zip(self.members[group], RESOLVED, strict=True)
            )
        }


def flat(owned: Iterable[tuple[str, list[int]]]) -> list[Partition]:
    return sorted((topic, number) for topic, numbers in owned for number in numbers)


def seen_in(rows: Iterable[Mapping[str, Any]], group: str) -> dict[str, Seen]:
    """The members of a group in rows of the table `members`."""
    return {
        row["member"]: Seen(
            row["subscription"], flat(dict(row["owned"]).items()), row["rack"], row["instance_id"]
        )
        for row in rows
        if row["group"] == group
    }


@contextmanager
def made_scene(bootstrap: str) -> Iterator[Scene]:
    """The groups of LIVE, as long as it lasts, and those of EMPTY and SHARE."""
    config, admin = kafka_config(bootstrap), admin_of(bootstrap)
    for topic, size in TOPICS.items():
        make_topic(admin, topic, size)
        fill(bootstrap, topic, [RECORDS[topic, number] for number in range(size)])
    # After a group, as the admin client waits long for a coordinator that is not there yet.
    with pairs(config, LIVE, SUBSCRIPTIONS, PARTITIONS) as members:
        for number, group in enumerate(members.values()):
            commit_all(group, number + 1)
        commit(admin, "commits-only", {"orders": [3, 4]})
        with pairs(config, LEFT, (list(TOPICS),), PARTITIONS) as left:
            for group in left.values():
                commit_all(group, 2)
        share(config)
        yield Scene(bootstrap, members)


def commit_all(members: list[ChildConsumer], step: int) -> None:
    """Other offsets in every group, and none in one partition."""
    for member in members:
        mine = [
            TopicPartition(*tp, step * number)
            for number, tp in enumerate(PARTITIONS)
            if tp in owned_by(member) and tp != UNCOMMITTED
        ]
        for done in member.commit(offsets=mine, asynchronous=False):
            assert done.error is None


def share(config: Config) -> None:
    """A group of another kind that has had a member."""
    consumer = ShareConsumer({**config, "group.id": SHARE})
    try:
        consumer.subscribe(list(TOPICS))

        def known() -> bool:
            consumer.poll(0.2)
            return SHARE in reader.call(list_groups)[0]

        with closing(GroupReader(config)) as reader:
            until(known)
    finally:
        consumer.close()


def history_rows(history: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table of a recorded history."""
    files = sorted((history / table).glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file, partitioning=None).to_pylist()]
