"""Groups of every kind on a real broker: listed with their kind, refused by every command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any, Final

import pytest
from confluent_kafka import ShareConsumer
from confluent_kafka.admin import AdminClient, NewTopic
from support.json_schemas import findings
from support.kafka_broker import Broker
from support.waiting import until

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.codec.consumer_protocol import write_subscription
from equilag.adapters.kafka.described import ReadFailure

pytestmark = [pytest.mark.broker]

STREAMS_METADATA: Final = "AgAAAaIE16Co"
"""Of a commit of Kafka Streams 4.3.1."""
CLASSIC: Final = {
    "kinds-connect": ("connect", "sessioned"),
    "kinds-stream": ("consumer", "stream"),
    "kinds-registry": ("sr", "v0"),
}
"""Group -> protocol type and protocol of its only member."""
KINDS: Final = {
    "kinds-connect": "connect",
    "kinds-stream": "classic-streams",
    "kinds-registry": "sr",
    "kinds-share": "share",
    "kinds-left": "classic-streams",
}


def coordinator(client: Any, group: str) -> int:
    """Return the coordinator of a group, once there is one."""
    until(lambda: not isinstance(client.coordinator(group), ReadFailure))
    return int(client.coordinator(group))


def join(client: Any, group: str, protocol_type: str, protocol: str) -> None:
    """Join a group as its only member, and leave the assignment empty."""
    from kafka.protocol.consumer.group import JoinGroupRequest, SyncGroupRequest

    metadata = write_subscription(["kinds"])
    kind = JoinGroupRequest.JoinGroupRequestProtocol
    request = JoinGroupRequest(
        group_id=group, session_timeout_ms=60_000, rebalance_timeout_ms=60_000, member_id="",
        group_instance_id=None, protocol_type=protocol_type,
        protocols=[kind(name=protocol, metadata=metadata)], max_version=3,
    )  # fmt: skip
    node = coordinator(client, group)
    joined = client.ask(node, request)
    assert joined.error_code == 0
    assignment = SyncGroupRequest.SyncGroupRequestAssignment(
        member_id=joined.member_id, assignment=b""
    )
    sync = SyncGroupRequest(
        group_id=group, generation_id=joined.generation_id, member_id=joined.member_id,
        group_instance_id=None, protocol_type=protocol_type, protocol_name=protocol,
        assignments=[assignment],
    )  # fmt: skip
    assert client.ask(node, sync).error_code == 0


def commit(client: Any, group: str, metadata: str) -> None:
    """Commit as nobody, which makes a group without members."""
    from kafka.protocol.consumer.group import OffsetCommitRequest

    topic = OffsetCommitRequest.OffsetCommitRequestTopic
    partition = topic.OffsetCommitRequestPartition
    one = partition(partition_index=0, committed_offset=0, committed_metadata=metadata)
    request = OffsetCommitRequest(
        group_id=group, generation_id_or_member_epoch=-1, member_id="", group_instance_id=None,
        topics=[topic(name="kinds", partitions=[one])], max_version=8,
    )  # fmt: skip
    node = coordinator(client, group)

    def done() -> bool:
        answer = client.ask(node, request)
        return [p.error_code for t in answer.topics for p in t.partitions] == [0]

    until(done)


@pytest.fixture(scope="module")
def servers(broker: Broker) -> Iterator[str]:
    """A cluster with these groups."""
    plain_client = pytest.importorskip("equilag.adapters.kafka.plain.plain_client")
    config = kafka_config(broker.bootstrap)
    admin = AdminClient(dict(config))
    admin.create_topics([NewTopic("kinds", 2, 1)])["kinds"].result()
    with ExitStack() as stack:
        client = stack.enter_context(closing(plain_client.PlainClient({
            "bootstrap_servers": broker.bootstrap
        }, 30)))  # fmt: skip
        commit(client, "kinds-left", STREAMS_METADATA)
        for group, (protocol_type, protocol) in CLASSIC.items():
            commit(client, group, "")  # waits until the coordinator is ready
            join(client, group, protocol_type, protocol)
        share = stack.enter_context(closing(ShareConsumer({**config, "group.id": "kinds-share"})))
        share.subscribe(["kinds"])
        share.poll(1)
        yield broker.bootstrap


def test_every_group_is_listed_with_its_kind(run: Callable[..., Any], servers: str) -> None:
    argv = ["groups", "--bootstrap-server", servers, "--groups", "kinds-.*"]

    def listed() -> bool:
        document = json.loads(run(*argv, "--json").out)
        rows = document["groups"]
        assert findings(document) == []
        return {row["group"]: row["kind"] for row in rows} == KINDS

    until(listed)
    share = next(line for line in run(*argv).out.splitlines() if line.startswith("kinds-share"))
    assert share.split()[2:] == ["share", "-", "-", "-", "-", "-"]


@pytest.mark.parametrize("group", KINDS)
def test_they_are_refused_by_name(run: Callable[..., Any], servers: str, group: str) -> None:
    start = f"equilag: {servers}: group {group!r} exists, but equilag does not plan it. It is "
    live = ("--bootstrap-server", servers, "--group", group)
    done = run("plan", *live)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(start)
    steward = run("steward", *live, "--listen", "127.0.0.1:0")
    assert steward.status == 2
    assert steward.err.splitlines()[-1].startswith(start)
    assert "event=refused" in steward.err
    assert "role=" not in steward.err
