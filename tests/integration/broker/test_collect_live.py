"""`equilag collect` at a real broker: its rows are what the clients themselves report."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, ResourceType
from support.child_consumer import ChildConsumer
from support.json_schemas import findings
from support.kafka_broker import Broker
from support.live_groups import (
    KIP_848,
    RANGE,
    STICKY,
    add_user,
    allow,
    every_partition,
    login,
    login_properties,
    owned_by,
    pairs,
)
from support.waiting import PATIENCE_S, until

from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.sample import ClusterSampler
from equilag.adapters.kafka.sample_rows import Sample
from equilag.cli import main
from equilag.domain.errors import InputError

pytestmark = [pytest.mark.broker]

TOPICS: Final = {"coll-orders": 4, "coll-users": 2}
PARTITIONS: Final = every_partition(TOPICS)


@pytest.fixture(scope="module")
def config(broker: Broker) -> Config:
    """Settings for a cluster with TOPICS in it, and 10, 11, … records in their partitions."""
    config = kafka_config(broker.bootstrap)
    admin = AdminClient(dict(config))
    made = admin.create_topics([NewTopic(name, size, 1) for name, size in TOPICS.items()])
    for future in made.values():
        future.result()
    producer = Producer(config)
    for number, (topic, partition) in enumerate(PARTITIONS):
        for _ in range(10 + number):
            producer.produce(topic, b"record", partition=partition)
    assert producer.flush(PATIENCE_S) == 0
    return config


@contextmanager
def groups(
    config: Config,
    kinds: Mapping[str, Mapping[str, Any]],
    topics: tuple[list[str], list[str]] = (list(TOPICS), list(TOPICS)),
) -> Iterator[dict[str, list[ChildConsumer]]]:
    """Groups of two members, which share all partitions and have committed all but the last."""
    with pairs(config, kinds, topics, PARTITIONS) as made:
        for member in (member for members in made.values() for member in members):
            mine = [TopicPartition(*tp, 3) for tp in owned_by(member) if tp != PARTITIONS[-1]]
            for done in member.commit(offsets=mine, asynchronous=False):
                assert done.error is None
        yield made


def sampled(config: Config, groups: str) -> Sample:
    with closing(ClusterSampler(config, re.compile(groups))) as sampler:
        return sampler.round()


def rows(table: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def check_equal(
    offsets: list[dict[str, Any]],
    shown: list[dict[str, Any]],
    group: str,
    members: list[ChildConsumer],
    subscribed: list[list[str]] | None = None,
) -> None:
    """The rows of `group` are all that its two members can tell, and nothing else."""
    offsets = [row for row in offsets if row["group"] == group]
    assert [(row["topic"], row["partition"]) for row in offsets] == PARTITIONS
    told = members[0].committed([TopicPartition(*tp) for tp in PARTITIONS], 10)
    assert [row["committed"] for row in offsets] == [
        one.offset if one.offset >= 0 else None for one in told
    ]
    assert [row["committed"] for row in offsets].count(None) == 1
    for row in offsets:
        ends = members[0].get_watermark_offsets(TopicPartition(row["topic"], row["partition"]), 10)
        assert (row["log_start"], row["log_end"]) == ends
        assert row["log_bytes"] > ends[1] * len(b"record")
    by_id = {row["member"]: row for row in shown if row["group"] == group}
    assert set(by_id) == {member.memberid() for member in members}
    for number, member in enumerate(members):
        row = by_id[member.memberid()]
        assert [(topic, p) for topic, numbers in row["owned"] for p in numbers] == owned_by(member)
        assert row["subscription"] == (subscribed[number] if subscribed else sorted(TOPICS))
        assert row["rack"] == f"rack-{number}"
        assert row["capacity"] is None
    assert len({row["ts_ms"] for row in [*offsets, *by_id.values()]}) == 1


def test_subscriptions_of_different_kinds_and_groups_that_were_left(
    broker: Broker, config: Config, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second member by a regular expression: a classic client resolves it, or the broker."""
    topics = (["coll-orders"], ["^coll-.*"])
    folder = tmp_path / "history"
    with groups(config, {"mix-classic": RANGE, "mix-848": KIP_848}, topics) as made:
        argv = command(broker.bootstrap, folder, "--rounds", "1", "--groups", "mix-.*")
        assert main(argv[3:]) == 0
        assert capsys.readouterr() == ("", "")
        offsets, shown = read(folder, "offsets"), read(folder, "members")
        for name, members in made.items():
            subscribed = [["coll-orders"], sorted(TOPICS)]
            check_equal(offsets, shown, name, members, subscribed)
    left = sampled(config, "mix-.*")
    assert [(row["group"], row["member"], row["owned"]) for row in rows(left.members)] == [
        ("mix-848", None, []),
        ("mix-classic", None, []),
    ]
    # Without members nobody subscribes: what is left are the commits.
    assert left.n_partitions == 2 * (len(PARTITIONS) - 1)


# The process itself.


def command(bootstrap: str, folder: Path, *more: str) -> list[str]:
    argv = ["collect", "--bootstrap-server", bootstrap, "--out", str(folder), *more]
    return [sys.executable, "-m", "equilag", *argv]


def read(folder: Path, table: str) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = sorted((folder / table).glob("*.parquet"))
    return [row for f in files for row in parquet.read_table(f, partitioning=None).to_pylist()]


def rounds(folder: Path) -> list[int]:
    """The times of all rounds, which are in both tables, once."""
    offsets, members = read(folder, "offsets"), read(folder, "members")
    keys = [(row["ts_ms"], row["group"], row["topic"], row["partition"]) for row in offsets]
    assert len(set(keys)) == len(keys)
    seen = [(row["ts_ms"], row["group"], row["member"]) for row in members]
    assert len(set(seen)) == len(seen)
    times = sorted({key[0] for key in keys})
    assert times == sorted({key[0] for key in seen})
    assert not list(folder.rglob("*.part"))
    return times


@pytest.mark.long
def test_rows_are_what_the_clients_report(broker: Broker, config: Config, tmp_path: Path) -> None:
    kinds: dict[str, Mapping[str, Any]] = {
        "proc-range": RANGE,
        "proc-sticky": STICKY,
        "proc-static": {**RANGE, "group.instance.id": "classic"},
        "proc-848": KIP_848,
        "proc-static-848": {**KIP_848, "group.instance.id": "new"},
    }
    folder = tmp_path / "history"
    with groups(config, kinds) as made:
        before = {m.memberid(): owned_by(m) for members in made.values() for m in members}
        done = subprocess.run(
            command(broker.bootstrap, folder, "--rounds", "1", "--groups", "proc-.*"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        offsets, shown = read(folder, "offsets"), read(folder, "members")
        for name, members in made.items():
            check_equal(offsets, shown, name, members)
            instance = kinds[name].get("group.instance.id")
            found = {row["member"]: row["instance_id"] for row in shown}
            assert [found[member.memberid()] for member in members] == [
                instance and f"{instance}-{number}" for number in range(2)
            ]
        assert {row["group"] for row in shown} == set(kinds)
        # No member was disturbed.
        for members in made.values():
            for member in members:
                member.poll(0.1)
        assert before == {m.memberid(): owned_by(m) for ms in made.values() for m in ms}


@pytest.mark.long
def test_stopped_killed_and_started_again(broker: Broker, config: Config, tmp_path: Path) -> None:
    with groups(config, {"coll-again": RANGE}):
        pass
    folder = tmp_path / "history"
    argv = command(broker.bootstrap, folder, "--every", "0.2s", "--groups", "coll-again")

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


@pytest.mark.long
def test_a_reader_with_few_rights(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One group of two, one topic of two, and nothing of the cluster."""
    admin = AdminClient(dict(kafka_config(broker.bootstrap)))
    add_user(admin, "collector", "r")
    for future in admin.create_topics([NewTopic(t, 2, 1) for t in ("mine", "yours")]).values():
        future.result()
    for name in ("mine", "yours"):
        at = [TopicPartition(name, 0, 0)]

        def committed(name: str = name, at: list[TopicPartition] = at) -> bool:
            asked = [ConsumerGroupTopicPartitions(name, at)]
            done = admin.alter_consumer_group_offsets(asked)[name].result()
            return all(one.error is None for one in done.topic_partitions)

        until(committed)
    for kind in (ResourceType.TOPIC, ResourceType.GROUP):
        allow(admin, "collector", kind, "mine")
    properties = tmp_path / "client.properties"
    properties.write_text(login_properties("collector", "r"), "utf-8")
    folder = tmp_path / "history"
    more = ("--rounds", "2", "--every", "0.2s", "--command-config", str(properties))
    done = subprocess.run(
        command(broker.sasl, folder, *more), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    remarks = [line for line in done.stderr.splitlines() if "longer than --every" not in line]
    assert remarks == [
        "equilag: broker 1 does not return the sizes of its logs: CLUSTER_AUTHORIZATION_FAILED"
    ]
    assert len(rounds(folder)) == 2
    assert {(row["group"], row["log_bytes"]) for row in read(folder, "offsets")} == {("mine", None)}
    monkeypatch.setattr("equilag.adapters.kafka.cluster.WAIT_S", 1.5)
    with pytest.raises(InputError, match="uthentication failed"):
        ClusterSampler(kafka_config(broker.sasl, login("collector", "wrong")))
