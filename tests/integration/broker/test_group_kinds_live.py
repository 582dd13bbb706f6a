"""Groups of every kind on a real broker: listed with their kind, refused by every command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, Final

import pytest
from confluent_kafka import ShareConsumer
from support.json_schemas import findings
from support.kafka_broker import Broker
from support.live_topics import admin_of, make_topic
from support.plain_members import commit, join, sync
from support.waiting import until

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.plain.plain_client import PlainClient

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


@pytest.fixture(scope="module")
def servers(broker: Broker) -> Iterator[str]:
    """A cluster with these groups."""
    make_topic(admin_of(broker.bootstrap), "kinds", 2)
    client = PlainClient({"bootstrap_servers": broker.bootstrap}, 30)
    consumer = ShareConsumer({**kafka_config(broker.bootstrap), "group.id": "kinds-share"})
    with closing(client), closing(consumer):
        commit(client, "kinds-left", "kinds", STREAMS_METADATA)
        for group, (protocol_type, protocol) in CLASSIC.items():
            commit(client, group, "kinds", "")  # waits until the coordinator is ready
            joined = join(client, group, "kinds", protocol, protocol_type=protocol_type)
            sync(client, group, joined, {joined.member: b""}, protocol, protocol_type)
        consumer.subscribe(["kinds"])
        consumer.poll(1)
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
