"""500 groups of 100 partitions on one broker, read as a whole within 10 seconds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Final

import pytest

from benchmarks.kafka_broker import Broker
from benchmarks.live.plain_members import join_in_halves
from benchmarks.live.topics import admin_of, commit, fill, make_topic
from equilag.adapters.kafka.plain.plain_client import PlainClient

pytestmark = [pytest.mark.broker, pytest.mark.long]

GROUPS: Final = 500
PARTITIONS: Final = 100
TOPICS: Final = 25
LIMIT_S: Final = 10


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
            join_in_halves(first, second, threads, group, topic, PARTITIONS)
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
