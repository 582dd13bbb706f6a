"""Offsets of topics through kafka-python, with made-up responses. No broker."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from equilag.adapters.kafka import cluster
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.group_reader import (
    GroupReader,
    MissingRight,
    NoAnswer,
    TemporarilyUnreadable,
)
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.errors import InputError

pytest.importorskip("equilag.adapters.kafka.plain_client")

TOPIC_FORBIDDEN, GROUP_FORBIDDEN, NO_TOPIC, LOADING, NOT_LEADER = 29, 30, 3, 14, 6


class FakeClient:
    """Brokers with these responses: leaders or an error per topic, commits or an error, log
    ends."""

    def __init__(
        self,
        topics: dict[str, list[int] | int],
        commits: dict[tuple[str, int], int] | int,
        coordinator: int | ReadFailure = 1,
        silent: Sequence[int | None] = (),
        moved: int = 0,
    ) -> None:
        self.topics, self.commits, self.node = topics, commits, coordinator
        self.silent, self.moved = silent, moved
        self.requested: list[tuple[int, str, int]] = []

    def coordinator(self, group: str, wait_ms: int | None = None) -> int | ReadFailure:
        return self.node

    def ask_all(self, requests: Sequence[tuple[int | None, Any]], wait_ms: int) -> list[Any]:
        assert wait_ms > 0
        return [self._answer(node, request) for node, request in requests]

    def _answer(self, node: int | None, request: Any) -> Any:
        from kafka.errors import KafkaTimeoutError

        if node in self.silent:
            return KafkaTimeoutError("too late")
        kind = type(request).__name__
        return getattr(self, kind)(node, request)

    def MetadataRequest(self, _: int, request: Any) -> Any:  # noqa: N802  named as the request
        topics = [self._topic(one.name) for one in request.topics]
        brokers = [SimpleNamespace(node_id=1, rack="r1"), SimpleNamespace(node_id=2, rack=None)]
        return SimpleNamespace(topics=topics, brokers=brokers)

    def _topic(self, name: str) -> Any:
        leaders = self.topics.get(name, NO_TOPIC)
        if isinstance(leaders, int):
            return SimpleNamespace(name=name, error_code=leaders, partitions=[])
        partitions = [
            SimpleNamespace(partition_index=number, leader_id=leader, replica_nodes=[3, 2, leader])
            for number, leader in enumerate(leaders)
        ]
        return SimpleNamespace(name=name, error_code=0, partitions=partitions)

    def OffsetFetchRequest(self, _: int, request: Any) -> Any:  # noqa: N802
        failed = isinstance(self.commits, int)
        commits = {} if isinstance(self.commits, int) else self.commits
        topics = [
            SimpleNamespace(
                name=topic,
                partitions=[
                    SimpleNamespace(partition_index=number, committed_offset=at, error_code=0)
                ],
            )
            for (topic, number), at in commits.items()
        ]
        group = SimpleNamespace(error_code=self.commits if failed else 0, topics=topics)
        return SimpleNamespace(groups=[group])

    def ListOffsetsRequest(self, node: int, request: Any) -> Any:  # noqa: N802
        latest = request.topics[0].partitions[0].timestamp == -1
        self.requested += [
            (node, topic.name, one.partition_index)
            for topic in request.topics
            for one in topic.partitions
            if latest
        ]
        return SimpleNamespace(
            topics=[
                SimpleNamespace(
                    name=topic.name,
                    partitions=[
                        SimpleNamespace(
                            partition_index=one.partition_index,
                            error_code=self.moved,
                            offset=7 if latest else 2,
                        )
                        for one in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )


def reader(monkeypatch: pytest.MonkeyPatch, client: FakeClient) -> GroupReader:
    from kafka.errors import KafkaError

    def with_plain(_: Any, call: Any) -> Any:
        try:
            return call(client)
        except KafkaError as error:
            raise NoAnswer(str(error)) from error

    monkeypatch.setattr(cluster, "connect", lambda _: (None, None))
    monkeypatch.setattr(cluster.Cluster, "with_plain", with_plain)
    return GroupReader(kafka_config("a:1"))


def test_each_leader_is_asked_for_its_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    commits = {("t", 0): 7, ("t", 1): 4, ("t", 2): -1, ("other", 0): 3}
    client = FakeClient({"t": [1, -1, 2], "none": []}, commits)
    offsets = reader(monkeypatch, client).lags("g", ["t", "gone", "none", "t"], timeout=2)
    assert offsets.sizes == {"t": 3, "none": 0}
    assert offsets.log_start == {"t": [2, None, 2], "none": []}
    assert offsets.log_end == {"t": [7, None, 7], "none": []}
    assert offsets.committed == {"t": [7, 4, None], "none": []}
    assert offsets.unknown == {"t": [1]}
    assert offsets.racks == {"t": [("r1",), (), ()]}
    assert offsets.remarks == [
        "lag unknown (no leader): t-1", f"{NO_COMMIT}: t-2", "there is no topic 'gone'",
    ]  # fmt: skip
    assert client.requested == [(1, "t", 0), (2, "t", 2)]


@pytest.mark.parametrize(
    ("client", "text"),
    [
        (FakeClient({"t": [1, 2]}, {}, silent=[2]), "lag unknown (KafkaTimeoutError: too late)"),
        (FakeClient({"t": [1, 2]}, {}, moved=NOT_LEADER), "lag unknown (NOT_LEADER_FOR_PARTITION"),
    ],
)
def test_leaders_that_do_not_answer(
    monkeypatch: pytest.MonkeyPatch, client: FakeClient, text: str
) -> None:
    offsets = reader(monkeypatch, client).lags("g", ["t"])
    assert 1 in offsets.unknown["t"]
    assert any(remark.startswith(text) for remark in offsets.remarks), offsets.remarks


@pytest.mark.parametrize(
    ("client", "error", "text"),
    [
        (FakeClient({"t": TOPIC_FORBIDDEN}, {}), MissingRight, "Describe on Topic 't'"),
        (FakeClient({"t": [1]}, GROUP_FORBIDDEN), MissingRight, "Describe on Group 'g'"),
        (FakeClient({"t": [1]}, LOADING), TemporarilyUnreadable, "its commits cannot be read: "),
        (
            FakeClient({"t": [1]}, {}, ReadFailure("no coordinator")),
            TemporarilyUnreadable,
            "no coordinator",
        ),
        (
            FakeClient({"t": [1]}, {}, silent=[1]),
            TemporarilyUnreadable,
            "its commits cannot be read: ",
        ),
        (FakeClient({"t": [1]}, {}, silent=[None]), NoAnswer, "too late"),
    ],
)
def test_unavailable_offsets(
    monkeypatch: pytest.MonkeyPatch, client: FakeClient, error: type, text: str
) -> None:
    with pytest.raises(error, match=text) as caught:
        reader(monkeypatch, client).lags("g", ["t"])
    assert isinstance(caught.value, InputError) == (error is MissingRight)
