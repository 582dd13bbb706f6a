"""A cluster as kafka-python would see it, with made-up responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from equilag.adapters.kafka import group_reader
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.described import Described, ReadFailure
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.plain import plain_ends, plain_requests

NO_TOPIC, LOADING, NOT_LEADER, TOPIC_FORBIDDEN, GROUP_FORBIDDEN = 3, 14, 6, 29, 30
"""Error codes of the protocol."""
GONE = ReadFailure("it no longer exists", transient=False, gone=True)


class FakeClient:
    """Two brokers, 1 and 2, that lead the partitions of `topics` (or an error code in place of a
    topic's leaders) and have these commits (or an error code).

    A commit below -1 stands for the error code of the opposite sign. `silent` brokers do not
    answer. `moved` is the number of answers with log ends that are errors. `described` has the
    answers about groups in turn; `known` tells what was known of the kind each time.
    """

    def __init__(
        self,
        topics: Mapping[str, list[int] | int],
        commits: Mapping[tuple[str, int], int] | int | None = None,
        coordinator: int | ReadFailure = 1,
        silent: Sequence[int | None] = (),
        moved: int = 0,
    ) -> None:
        self.topics, self.commits, self.node = topics, commits or {}, coordinator
        self.silent, self.moved = silent, moved
        self.racks: tuple[str | None, str | None] = ("r1", None)
        self.metadata = ""
        """Of all commits."""
        self.groups: dict[int, list[Any] | int] = {}
        """Broker -> its groups, or an error code."""
        self.settings: dict[int, dict[str, str] | int] = {}
        """Broker -> its settings, or an error code."""
        self.requested: list[tuple[int, str, int]] = []
        """Partitions whose log ends were requested, with the broker."""
        self.answers: Iterable[Described | ReadFailure] = ()
        self.known: list[bool | None] = []
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def nodes(self) -> list[int]:
        return [1, 2]

    def coordinator(self, group: str, wait_ms: int | None = None) -> int | ReadFailure:
        return self.node

    def describing(self, *answers: Described | ReadFailure) -> None:
        """Let groups be described by these answers in turn."""
        self.answers = iter(answers)

    def describe(self, groups: Mapping[str, bool | None]) -> dict[str, Described | ReadFailure]:
        self.known.extend(groups.values())
        return {name: next(iter(self.answers)) for name in groups}

    def ask(self, node: int | None, request: Any, wait_ms: int | None = None) -> Any:
        (answer,) = self.ask_all([(node, request)], wait_ms)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask_all(
        self, requests: Sequence[tuple[int | None, Any]], wait_ms: int | None = None
    ) -> list[Any]:
        assert wait_ms is None or wait_ms > 0
        return [self._answer(node, request) for node, request in requests]

    def _answer(self, node: int | None, request: Any) -> Any:
        from kafka.errors import KafkaTimeoutError

        if node in self.silent:
            return KafkaTimeoutError("too late")
        kind = type(request).__name__
        return getattr(self, kind)(node, request)

    def ListGroupsRequest(self, node: int, _: Any) -> Any:  # noqa: N802  named as the request
        groups = self.groups.get(node, [])
        failed = isinstance(groups, int)
        return SimpleNamespace(error_code=groups if failed else 0, groups=[] if failed else groups)

    def DescribeConfigsRequest(self, node: int, request: Any) -> Any:  # noqa: N802
        found = self.settings.get(node, {})
        code, found = (found, {}) if isinstance(found, int) else (0, found)
        (resource,) = request.resources
        names = [name for name in resource.configuration_keys if name in found]
        configs = [SimpleNamespace(name=name, value=found[name]) for name in names]
        return SimpleNamespace(results=[SimpleNamespace(error_code=code, configs=configs)])

    def MetadataRequest(self, _: int, request: Any) -> Any:  # noqa: N802
        names = sorted(self.topics) if request.topics is None else [t.name for t in request.topics]
        brokers = [
            SimpleNamespace(node_id=number, rack=rack) for number, rack in enumerate(self.racks, 1)
        ]
        return SimpleNamespace(topics=[self._topic(name) for name in names], brokers=brokers)

    def _topic(self, name: str) -> Any:
        leaders = self.topics.get(name, NO_TOPIC)
        if isinstance(leaders, int):
            return topic_of(name, (), error_code=leaders, topic_id=None)
        partitions = []
        for number, leader in enumerate(leaders):
            replicas = [3, *sorted({1, 2} - {leader}), leader]
            one = {"partition_index": number, "leader_id": leader, "replica_nodes": replicas}
            partitions.append(one)
        topic_id = UUID(int=sorted(self.topics).index(name))
        return topic_of(name, partitions, error_code=0, topic_id=topic_id)

    def OffsetFetchRequest(self, _: int, request: Any) -> Any:  # noqa: N802
        code, commits = (self.commits, {}) if isinstance(self.commits, int) else (0, self.commits)
        topics = []
        for (topic, number), at in commits.items():
            commit = {"partition_index": number, "committed_offset": at, "metadata": self.metadata}
            topics.append(topic_of(topic, [{**commit, "error_code": -at if at < -1 else 0}]))
        groups = [
            SimpleNamespace(group_id=one.group_id, error_code=code, topics=topics)
            for one in request.groups
        ]
        return SimpleNamespace(groups=groups)

    def ListOffsetsRequest(self, node: int, request: Any) -> Any:  # noqa: N802
        latest = request.topics[0].partitions[0].timestamp == -1
        answer = {"error_code": NOT_LEADER if self.moved else 0, "offset": 7 if latest else 2}
        self.moved -= bool(self.moved)
        topics = []
        for topic in request.topics:
            numbers = [one.partition_index for one in topic.partitions]
            self.requested += [(node, topic.name, number) for number in numbers if latest]
            partitions = ({"partition_index": number, **answer} for number in numbers)
            topics.append(topic_of(topic.name, partitions))
        return SimpleNamespace(topics=topics)

    def DescribeLogDirsRequest(self, *_: Any) -> Any:  # noqa: N802
        return SimpleNamespace(error_code=31, results=[])


def listed(name: str, kind: str, protocol_type: str = "") -> Any:
    """A group in the response of a broker that lists its groups."""
    return SimpleNamespace(
        group_id=name, protocol_type=protocol_type, group_type=kind, group_state="Empty"
    )


def topic_of(name: str, partitions: Iterable[Mapping[str, Any]], **more: Any) -> Any:
    """A topic in a response."""
    rows = [SimpleNamespace(**partition) for partition in partitions]
    return SimpleNamespace(name=name, partitions=rows, **more)


def fake_reader(monkeypatch: pytest.MonkeyPatch, client: FakeClient) -> GroupReader:
    """Return a reader of the cluster that the client sees; nothing waits."""
    monkeypatch.setattr(group_reader, "PlainClient", lambda *_: client)
    monkeypatch.setattr(plain_requests, "_RETRY_PAUSES", (0.0,) * 3)
    monkeypatch.setattr(plain_ends, "_PAUSE_S", 0.0)
    return GroupReader(kafka_config("a:1"))
