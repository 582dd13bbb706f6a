"""500 groups of 100 partitions on one broker, read as a whole within 10 seconds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, Final

import pytest
from support.kafka_broker import Broker
from support.live_topics import admin_of, commit, fill, make_topic
from support.plain_members import coordinator, join, sync
from support.waiting import until

from equilag.adapters.kafka.consumer_protocol import write_assignment
from equilag.adapters.kafka.described import ReadFailure
from equilag.adapters.kafka.plain.plain_client import PlainClient

pytestmark = [pytest.mark.broker, pytest.mark.long]

GROUPS: Final = 500
PARTITIONS: Final = 100
TOPICS: Final = 25
LIMIT_S: Final = 10


def _members(first: Any, second: Any, threads: ThreadPoolExecutor, group: str, topic: str) -> None:
    node = coordinator(first, group)
    mine = join(first, group, topic).member
    other = threads.submit(join, second, group, topic)
    rebalancing = ReadFailure("it is rebalancing", state="PreparingRebalance", kind="classic")
    until(lambda: first._described({group: (node, False)})[group] == rebalancing)
    leader = join(first, group, topic, member=mine)
    halves = (range(PARTITIONS // 2), range(PARTITIONS // 2, PARTITIONS))
    assigned = dict(zip((mine, other.result().member), halves, strict=True))
    given = {name: write_assignment({topic: part}) for name, part in assigned.items()}
    sync(first, group, leader, given)
    sync(second, group, other.result(), {})


def test_all_groups_in_ten_seconds(broker: Broker) -> None:
    """Each of two members with half of one topic each."""
    admin, servers = admin_of(broker.bootstrap), broker.bootstrap
    topics = [f"many-{number}" for number in range(TOPICS)]
    for topic in topics:
        make_topic(admin, topic, PARTITIONS)
        fill(servers, topic, [5 + number % 7 for number in range(PARTITIONS)])
    settings = {"bootstrap_servers": servers}
    with (
        closing(PlainClient(settings, 30)) as first,
        closing(PlainClient(settings, 30)) as second,
        ThreadPoolExecutor(1) as threads,
    ):
        for number in range(GROUPS):
            group, topic = f"many-{number}", topics[number % TOPICS]
            commit(admin, group, {topic: [3] * PARTITIONS})
            _members(first, second, threads, group, topic)
        argv = ["groups", "--bootstrap-server", servers, "--groups", "many-.*", "--json"]
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "equilag", *argv], capture_output=True, text=True, check=False
        )
        assert time.monotonic() - begun < LIMIT_S
    assert done.stderr == ""
    assert done.returncode in (0, 10)
    rows = json.loads(done.stdout)["groups"]
    assert len(rows) == GROUPS
    assert {(row["members"], row["partitions"]) for row in rows} == {(2, PARTITIONS)}
