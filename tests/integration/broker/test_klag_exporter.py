"""A group by Prometheus, which scrapes klag-exporter, beside the same group by its broker."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from confluent_kafka import Producer
from support.paths import CHECKOUT
from support.prometheus_stub import running_prometheus

from benchmarks.kafka_broker import Broker
from benchmarks.live.plain_members import commit_as, join_in_halves
from benchmarks.live.topics import admin_of, commit, make_topic
from benchmarks.toolchains import make_once
from benchmarks.waiting import answers, until
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.group_samples import measured_input, sample_group
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.prometheus.metric_groups import groups_of
from equilag.adapters.prometheus.server import PrometheusServer
from equilag.domain.group.group import Group
from equilag.planner.solve import solve

pytestmark = [
    pytest.mark.broker,
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("prometheus") is None, reason="needs prometheus, such as Debian's package"
    ),
]
RATES: Final = (400, 200, 100, 50)
READ: Final = 0.6
"""Of what is produced, so that members have a backlog."""
REFRESH_S: Final = 1
REFRESHES: Final = 60
GROUP: Final = "klag"
VERSION: Final = "0.1.29"
BUILT: Final = CHECKOUT / ".cache/klag-exporter"
BUILD_S: Final = 3_000
"""Some 200 crates and librdkafka, the first time: five minutes of a core."""
CONFIG: Final = """\
[exporter]
poll_interval = "{every_s}s"
http_host = "127.0.0.1"
http_port = {port}
granularity = "partition"
[exporter.timestamp_sampling]
enabled = false
[[clusters]]
name = "c"
bootstrap_servers = "{servers}"
"""


@contextmanager
def klag_exporter(folder: Path, servers: str, every_s: int, port: int) -> Iterator[None]:
    """It serves the groups of a cluster, read so often. Skips the test where it cannot be built."""
    program = shutil.which("klag-exporter")
    if program is None:
        make_once(BUILT, _build)
        program = str(BUILT / "bin/klag-exporter")
    config = folder / "klag.toml"
    config.write_text(CONFIG.format(every_s=every_s, port=port, servers=servers))
    with (folder / "klag.log").open("wb") as log:
        process = subprocess.Popen([program, "--config", config], stdout=log, stderr=log)
    try:
        metrics = f"http://127.0.0.1:{port}/metrics"
        until(lambda: process.poll() is not None or answers(metrics), 60)
        assert process.poll() is None, (folder / "klag.log").read_text("utf-8")
        yield
    finally:
        process.terminate()
        process.wait(20)


def _build(folder: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("needs klag-exporter, or cargo to build it")
    words = ["cargo", "install", f"klag-exporter@{VERSION}", "--locked", "--no-default-features"]
    done = subprocess.run(
        [*words, "--root", folder], capture_output=True, text=True, timeout=BUILD_S
    )
    if done.returncode:
        pytest.skip(f"cargo cannot build klag-exporter (libsasl2-dev?): {done.stderr[-500:]}")


@contextmanager
def traffic(servers: str) -> Iterator[threading.Event]:
    """Records and commits until the event is set, which leaves offsets as they are."""
    ended = threading.Event()
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 5})
    settings = {"bootstrap_servers": servers}
    with (
        closing(PlainClient(settings, 30)) as first,
        closing(PlainClient(settings, 30)) as second,
        ThreadPoolExecutor(2) as threads,
    ):
        leader = join_in_halves(first, second, threads, GROUP, GROUP, len(RATES))

        def run() -> None:
            begun, made = time.monotonic(), np.zeros(len(RATES), int)
            while not ended.wait(0.1):
                due = (np.array(RATES) * (time.monotonic() - begun)).astype(int)
                for number, count in enumerate((due - made).tolist()):
                    producer.produce_batch(GROUP, [{"value": b"x"}] * count, number)
                assert producer.flush(30) == 0
                made = due
                assert commit_as(first, GROUP, leader, GROUP, (READ * made).astype(int).tolist())

        running = threads.submit(run)
        yield ended
        ended.set()
        running.result()


def by_prometheus(url: str, window_s: float) -> Any:
    (found,) = groups_of(PrometheusServer(url).read(None, window_s, group=GROUP)).values()
    return measured_input(found, "latest")[0]


def answer(given: Any) -> dict[str, Any]:
    """The plan and the verdict, without times."""
    group = Group.build(**{**given, "taken_at": None})
    document = solve(group, effort=0.05, time_limit=60).to_dict()
    del document["timing"]
    return document


def test_the_same_group_by_both_ways(broker: Broker, tmp_path: Path) -> None:
    servers = broker.bootstrap
    admin = admin_of(servers)
    make_topic(admin, GROUP, len(RATES))
    commit(admin, GROUP, {GROUP: [0] * len(RATES)})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        traffic(servers) as ended,
        klag_exporter(tmp_path, servers, REFRESH_S, port),
        running_prometheus(tmp_path, port, REFRESH_S / 2) as url,
        closing(GroupReader(kafka_config(servers))) as reader,
    ):
        time.sleep(3 * REFRESH_S)
        seconds = REFRESHES * REFRESH_S
        live, _ = measured_input(sample_group(reader, GROUP, seconds), "latest")
        seen = by_prometheus(url, seconds)
        for one in (live, seen):
            assert one["rates"][GROUP] == pytest.approx(RATES, rel=0.02)
        speeds, others = ({m.id: m.capacity for m in one["members"]} for one in (live, seen))
        assert others == {name: pytest.approx(speed, rel=0.02) for name, speed in speeds.items()}
        ended.set()
        time.sleep(4 * REFRESH_S)
        read = PrometheusServer(url).read(None, 4.0 * REFRESH_S, group=GROUP)
        (newest,) = groups_of(read, newest=True).values()
        live, seen = (one.group_input("latest") for one in (reader.read(GROUP), newest.last))
        assert answer(seen) == answer(live)
