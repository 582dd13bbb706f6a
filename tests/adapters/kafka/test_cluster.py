"""Requests to a cluster with made-up responses: no leader, no right, no answer. No broker."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError
from support.kafka_fakes import FakeAnswer

from equilag.adapters.kafka import cluster
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.described import Described, DescribedMember, ReadFailure
from equilag.adapters.kafka.group_reader import GroupReader, MissingRight, TemporarilyUnreadable
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.errors import InputError
from equilag.group import Group

pytest.importorskip("equilag.adapters.kafka.plain_client")


class FakeAdmin:
    """Topic -> its leaders, or an error's number; the commits of every group.

    A partition has replicas on the brokers 1 and 2; `racks` are those of the brokers.
    """

    def __init__(self, topics: dict[str, Any], commits: Any, racks: tuple[str | None, ...]) -> None:
        self.replicas = [SimpleNamespace(rack=rack) for rack in racks]
        self.topics = topics
        self.commits = commits
        self.requested: list[tuple[str, int]] = []

    def describe_topics(self, names: Any, request_timeout: float) -> dict[str, FakeAnswer]:
        return {name: FakeAnswer(self._topic(name)) for name in names.topic_names}

    def _topic(self, name: str) -> Any:
        leaders = self.topics.get(name, KafkaError.UNKNOWN_TOPIC_OR_PART)
        if isinstance(leaders, int):
            return leaders
        return SimpleNamespace(
            partitions=[
                SimpleNamespace(
                    id=n,
                    leader=None if at is None else SimpleNamespace(id=at),
                    replicas=self.replicas,
                )
                for n, at in enumerate(leaders)
            ]
        )

    def list_topics(self, timeout: float) -> Any:
        return SimpleNamespace(
            topics={
                name: SimpleNamespace(
                    partitions={
                        n: SimpleNamespace(leader=-1 if at is None else at)
                        for n, at in enumerate(leaders)
                    }
                )
                for name, leaders in self.topics.items()
                if not isinstance(leaders, int)
            }
        )

    def list_consumer_group_offsets(self, requested: Any, request_timeout: float) -> Any:
        if isinstance(self.commits, int):
            return {one.group_id: FakeAnswer(self.commits) for one in requested}
        partitions = [
            SimpleNamespace(topic=topic, partition=number, offset=offset, error=None)
            for (topic, number), offset in self.commits.items()
        ]
        answer = FakeAnswer(SimpleNamespace(topic_partitions=partitions))
        return {one.group_id: answer for one in requested}

    def list_offsets(self, specs: Any, **settings: Any) -> Any:
        self.requested += [(one.topic, one.partition) for one in specs]
        return {one: FakeAnswer(SimpleNamespace(offset=7)) for one in specs}


def reader(
    monkeypatch: pytest.MonkeyPatch,
    topics: dict[str, Any],
    commits: Any = None,
    racks: tuple[str | None, ...] = (None, None),
) -> tuple[GroupReader, FakeAdmin]:
    admin = FakeAdmin(topics, {} if commits is None else commits, racks)
    monkeypatch.setattr(cluster, "connect", lambda _: (admin, None))
    return GroupReader(kafka_config("a:1")), admin


def describing(
    monkeypatch: pytest.MonkeyPatch, answers: Iterable[Described | ReadFailure]
) -> list[bool | None]:
    """Let a group be described by these answers in turn. Return what was known of its kind each
    time."""
    monkeypatch.setattr(cluster, "_RETRY_PAUSES", (0.0,) * 3)
    answer = iter(answers)
    known: list[bool | None] = []

    def described(groups: dict[str, bool | None], _: Any) -> Any:
        known.extend(groups.values())
        return {name: next(answer) for name in groups}

    monkeypatch.setattr(cluster, "_describe", described)
    monkeypatch.setattr(cluster.Cluster, "with_plain", lambda _, call: call(None))
    return known


def group(kind: str = "classic", *members: DescribedMember) -> Described:
    return Described(kind, "Stable", "range", 3, list(members))


GONE = ReadFailure("it no longer exists", transient=False, gone=True)
BUSY = ReadFailure("it is rebalancing", state="CompletingRebalance")


def test_a_rebalance_that_ends_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, _ = reader(monkeypatch, {"t": [1]})
    describing(monkeypatch, [BUSY, BUSY, group()])
    assert reads.read("g").coordinator == 3
    describing(monkeypatch, [BUSY] * 4)
    with pytest.raises(TemporarilyUnreadable) as caught:
        reads.read("g")
    assert caught.value.state == "CompletingRebalance"


def test_a_group_that_changes_its_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads, _ = reader(monkeypatch, {"t": [1]})
    known = describing(monkeypatch, [group("consumer"), GONE, group(), GONE, GONE])
    assert [reads.read("g").kind for _ in range(2)] == ["consumer", "classic"]
    with pytest.raises(InputError, match="there is no group"):
        reads.read("g")
    assert known == [None, True, None, False, None]


def test_topics_that_are_missing_or_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = {"t": [1], "secret": KafkaError.TOPIC_AUTHORIZATION_FAILED}
    reads, _ = reader(monkeypatch, topics, {("lost", 0): 1})
    describing(monkeypatch, [group("classic", DescribedMember("m", ("secret", "t")))])
    with pytest.raises(MissingRight, match="a:1: needs the right Describe on Topic 'secret'"):
        reads.read("g")
    describing(monkeypatch, [group("classic", DescribedMember("m", ("gone", "t")))])
    with closing(reads):
        found = reads.read("g")
    assert found.remarks == [
        "subscribed topics that do not exist: gone",
        "commits for deleted topics or partitions: lost-0",
        f"{NO_COMMIT}: t-0",
    ]


@pytest.mark.parametrize("pattern", [None, "t|u"])
def test_racks_of_members_and_partitions(
    monkeypatch: pytest.MonkeyPatch, pattern: str | None
) -> None:
    reads, _ = reader(monkeypatch, {"t": [1, 2], "other": [1]}, racks=("r1", "r2"))
    names = () if pattern else ("t",)
    members = [DescribedMember(f"m{n}", names, pattern, rack=rack) for n, rack in enumerate("ab")]
    describing(monkeypatch, [group("consumer", *members)])
    given = reads.read("g").group_input()
    assert given["racks"] == {"t": [("r1", "r2"), ("r1", "r2")]}
    assert [member.rack for member in Group.build(**given).members] == ["a", "b"]


def test_an_unknown_isolation_level() -> None:
    with pytest.raises(InputError, match="isolation: 'serializable' is none of"):
        GroupReader(kafka_config("a:1"), isolation="serializable")


def test_one_remark_per_reason() -> None:
    failed = {("t", 1): "no leader", ("t", 0): "no leader", ("u", 0): "timed out"}
    assert cluster.by_reason(failed) == [
        "no log ends (no leader): t-0 and 1 more",
        "no log ends (timed out): u-0",
    ]
