"""The process of `equilag collect` at a real broker; its rows: see `test_readings_live`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka.admin import ResourceType
from support.json_schemas import findings
from support.live_groups import add_user, allow, login, login_properties
from support.live_scene import history_rows

from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import admin_of, commit, make_topic
from benchmarks.waiting import PATIENCE_S, until
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.sample import ClusterSampler

pytestmark = [pytest.mark.broker, pytest.mark.long]


def command(bootstrap: str, folder: Path, *more: str) -> list[str]:
    argv = ["collect", "--bootstrap-server", bootstrap, "--out", str(folder), "--every", "0.2s"]
    return [sys.executable, "-m", "equilag", *argv, *more]


def rounds(folder: Path) -> list[int]:
    """The times of all rounds, which are in both tables, once."""
    offsets, members = history_rows(folder, "offsets"), history_rows(folder, "members")
    keys = [(row["ts_ms"], row["group"], row["topic"], row["partition"]) for row in offsets]
    assert len(set(keys)) == len(keys)
    seen = [(row["ts_ms"], row["group"], row["member"]) for row in members]
    assert len(set(seen)) == len(seen)
    times = sorted({key[0] for key in keys})
    assert times == sorted({key[0] for key in seen})
    assert not list(folder.rglob("*.part"))
    return times


def test_stopped_killed_and_started_again(broker: Broker, tmp_path: Path) -> None:
    admin = admin_of(broker.bootstrap)
    make_topic(admin, "coll-again", 2)
    commit(admin, "coll-again", {"coll-again": [0, 0]})
    folder = tmp_path / "history"
    argv = command(broker.bootstrap, folder, "--groups", "coll-again")

    def parts() -> int:
        return len(list(folder.glob("members/*.parquet")))

    for end, status in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -9)):
        there = parts()
        process = subprocess.Popen(
            [*argv, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        until(
            lambda there=there, running=process: parts() >= there + 2 or running.poll() is not None
        )
        process.send_signal(end)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == status, err
        assert err in (b"", err if b"longer than --every" in err else b"")
        if status == 0:
            assert len(rounds(folder)) == parts() >= there + 2
            assert findings(json.loads(out)) == []
            assert json.loads(out)["rounds"]["recorded"] == parts() - there
    # Half a file, as a kill in the middle of writing leaves it.
    (folder / "offsets" / "part-1-0123abcd.parquet.part").write_bytes(b"PAR1")
    there = parts()
    done = subprocess.run([*argv, "--rounds", "2"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(rounds(folder)) >= there + 2


def test_a_reader_with_few_rights(broker: Broker, tmp_path: Path) -> None:
    """One group of two, one topic of two, and nothing of the cluster."""
    admin = admin_of(broker.bootstrap)
    add_user(admin, "collector", "r")
    for name in ("mine", "yours"):
        make_topic(admin, name, 2)
        commit(admin, name, {name: [0]})
    for kind in (ResourceType.TOPIC, ResourceType.GROUP):
        allow(admin, "collector", kind, "mine")
    properties = tmp_path / "client.properties"
    properties.write_text(login_properties("collector", "r"), "utf-8")
    folder = tmp_path / "history"
    argv = command(broker.sasl, folder, "--rounds", "2", "--command-config", str(properties))
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    remarks = [line for line in done.stderr.splitlines() if "longer than --every" not in line]
    assert remarks == [
        "equilag: broker 1 does not return the sizes of its logs: CLUSTER_AUTHORIZATION_FAILED"
    ]
    assert len(rounds(folder)) == 2
    rows = history_rows(folder, "offsets")
    assert {(row["group"], row["log_bytes"]) for row in rows} == {("mine", None)}
    # Brokers list groups without the right to whoever may describe the cluster.
    config = kafka_config(broker.sasl, login("collector", "r"))
    with closing(ClusterSampler(config)) as sampler:
        assert sampler.round(whole=True).left_out == {}
        allow(admin, "collector", ResourceType.BROKER, "kafka-cluster")
        lacks = "needs the right Describe on Group 'yours'"
        until(lambda: sampler.round(whole=True).left_out.get("yours") == lacks)
