"""Log ends from a cluster whose leaders move, or that refuses; no broker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from confluent_kafka import KafkaError, TopicPartition
from support.kafka_fakes import FakeAnswer

from equilag.adapters.kafka import log_ends
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.log_ends import read_log_ends, read_topics


class MovingLeaders:
    """Knows offsets, and that the leader of partition 0 has just moved away and comes back."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def list_offsets(self, specs: dict[TopicPartition, Any], **_: Any) -> dict[Any, FakeAnswer]:
        self.asked.append([one.partition for one in specs])
        moved = KafkaError.NOT_LEADER_FOR_PARTITION
        answers = {
            0: moved if len(self.asked) == 1 else SimpleNamespace(offset=7),
            2: KafkaError.TOPIC_AUTHORIZATION_FAILED,
        }
        return {one: FakeAnswer(answers[one.partition]) for one in specs}

    def describe_topics(self, names: Any, **_: Any) -> dict[str, FakeAnswer]:
        halves = SimpleNamespace(
            get_most_significant_bits=lambda: -1, get_least_significant_bits=lambda: 2
        )
        partitions = [
            SimpleNamespace(id=n, replicas=[SimpleNamespace(rack=rack) for rack in racks])
            for n, racks in enumerate((("r1", None, "r2", "r1"), (None,), ()))
        ]
        return {"t": FakeAnswer(SimpleNamespace(topic_id=halves, partitions=partitions))}


def test_partitions_without_a_leader_and_other_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    admin = MovingLeaders()
    leaders = {0: 1, 1: -1, 2: 1}
    topics = {
        "t": SimpleNamespace(
            error=None, partitions={n: SimpleNamespace(leader=at) for n, at in leaders.items()}
        ),
        "secret": SimpleNamespace(error=SimpleNamespace(str=lambda: "denied"), partitions={}),
    }
    monkeypatch.setattr(log_ends, "connect", lambda _: (admin, SimpleNamespace(topics=topics)))
    monkeypatch.setattr(log_ends, "_PAUSE_S", 0.0)
    config = kafka_config("a:1")
    ends = read_log_ends(config, [("t", 0), ("t", 1), ("t", 2)])
    assert ends.start == ends.end == {("t", 0): 7}
    assert ends.unknown[("t", 1)] == "no leader"
    assert "authorization" in ends.unknown[("t", 2)].lower()
    assert admin.asked == [[0, 2], [0], [0, 2]]

    found = read_topics(config)
    assert found.partitions == {"t": 3}
    assert found.names == {UUID(int=(2**64 - 1) << 64 | 2): "t"}
    assert found.racks == {("t", 0): ("r1", "r2")}
    assert found.refused == {"secret": "denied"}
