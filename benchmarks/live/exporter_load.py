"""The exporter beside a broker with 200 groups of 50 partitions: what it takes, how old it is."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.request import urlopen

import numpy as np
from confluent_kafka import Producer

from benchmarks.live.load_side import cpu_seconds
from benchmarks.live.plain_members import Joined, commit_as, join_in_halves
from benchmarks.live.topics import admin_of, commit, make_topic
from equilag.adapters.kafka.plain.plain_client import PlainClient

GROUPS: Final = 200
PARTITIONS: Final = 50
TOPICS: Final = 5
EVERY_S: Final = 3.0
"""Between two batches of records, and two commits of a group."""
MEAN_RATE: Final = 6.0
"""Records per second of a partition."""


class Figures(NamedTuple):
    """What the exporter took from one moment to another."""

    core_share: float
    mib: float
    """The most so far."""
    age_s: float
    """Of the oldest answer."""
    page_ms: float
    """The median time of /metrics."""
    groups: int
    behind: int
    """Groups whose verdict asks for something."""


class Load:
    """Records of all topics, and commits of all groups behind them."""

    def __init__(self, servers: str, client: PlainClient, members: dict[str, Joined]) -> None:
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 20})
        self._client, self._members = client, members
        draw = np.random.default_rng(1)
        rates = draw.lognormal(0, 1, (TOPICS, PARTITIONS))
        self._rates = rates * MEAN_RATE / rates.mean()
        self._made = np.zeros((TOPICS, PARTITIONS))
        self._read = np.zeros((TOPICS, PARTITIONS))
        self._at = time.monotonic()

    def turn(self, share: float) -> None:
        """Produce what is due; groups commit this share of it."""
        now = time.monotonic()
        made = np.floor(self._rates * (now - self._at) + self._made % 1)
        self._at = now
        for topic in range(TOPICS):
            for number, count in enumerate(made[topic].astype(int).tolist()):
                self._producer.produce_batch(f"many-{topic}", [{"value": b"x"}] * count, number)
        assert self._producer.flush(60) == 0
        self._made += made
        self._read += share * made
        for group, member in self._members.items():
            topic = int(group.rpartition("-")[2]) % TOPICS
            offsets = self._read[topic].astype(int).tolist()
            commit_as(self._client, group, member, f"many-{topic}", offsets)


@contextmanager
def exporter(servers: str) -> Iterator[tuple[str, int]]:
    """Its address and process id."""
    words = ["--bootstrap-server", servers, "--groups", "many-.*", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "equilag", "exporter", *words], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        yield line.partition("address=")[2].strip(), process.pid
    finally:
        process.terminate()
        process.communicate(timeout=60)


def measured(load: Load, address: str, pid: int, share: float, seconds: float) -> Figures:
    stat = Path(f"/proc/{pid}/stat")
    begun, before = time.monotonic(), cpu_seconds(stat.read_text("utf-8"))
    ages, times = [0.0], list[float]()
    text = ""
    while (now := time.monotonic()) < begun + seconds:
        load.turn(share)
        asked = time.monotonic()
        with urlopen(f"http://{address}/metrics", timeout=30) as answer:
            text = answer.read().decode()
        times.append(1e3 * (time.monotonic() - asked))
        found = re.findall(r"^equilag_group_age_seconds\S+ (\S+)$", text, re.MULTILINE)
        ages.append(max(map(float, found), default=0.0))
        time.sleep(max(0.0, now + EVERY_S - time.monotonic()))
    took = (cpu_seconds(stat.read_text("utf-8")) - before) / (time.monotonic() - begun)
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    assert peak is not None
    actions = re.findall(r'equilag_group_action\{action="([\w-]+)"', text)
    return Figures(
        took, int(peak[1]) / 1024, max(ages), float(np.median(times)),
        len(actions), sum(one != "leave" for one in actions),
    )  # fmt: skip


@contextmanager
def groups_of_two(
    servers: str, name: str, groups: int, topics: int, partitions: int
) -> Iterator[tuple[PlainClient, dict[str, Joined]]]:
    """So many groups and topics `name`-0, …; each group has two members of half of a topic, and has
    committed 0. The client that commits, and the leader of each group."""
    admin, settings = admin_of(servers), {"bootstrap_servers": servers}
    for number in range(topics):
        make_topic(admin, f"{name}-{number}", partitions)
    leaders = {}
    with (
        closing(PlainClient(settings, 30)) as first,
        closing(PlainClient(settings, 30)) as second,
        ThreadPoolExecutor(1) as threads,
    ):
        for number in range(groups):
            group, topic = f"{name}-{number}", f"{name}-{number % topics}"
            commit(admin, group, {topic: [0] * partitions})
            leaders[group] = join_in_halves(first, second, threads, group, topic, partitions)
        yield first, leaders


@contextmanager
def scene(servers: str) -> Iterator[Load]:
    with groups_of_two(servers, "many", GROUPS, TOPICS, PARTITIONS) as (client, leaders):
        yield Load(servers, client, leaders)
