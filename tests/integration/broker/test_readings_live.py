"""Groups of every kind on a real broker, read in every way: what comes out is what their members
say, from `equilag collect`, from the sample of `equilag fleet`, and from a `GroupReader`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from unittest.mock import ANY

import pytest
from confluent_kafka import Producer, TopicPartition
from support.live_groups import RANGE, owned_by, pairs
from support.live_scene import (
    LEFT,
    LIVE,
    PARTITIONS,
    TOPICS,
    Scene,
    Seen,
    flat,
    history_rows,
    made_scene,
    seen_in,
)

from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import admin_of
from benchmarks.waiting import PATIENCE_S, until
from equilag.adapters.kafka.client_config import Config, kafka_config
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.adapters.kafka.sample import MEMBERS, ClusterSampler, Sample
from equilag.cli import main
from equilag.domain.group.group import Group
from equilag.domain.group.lag import QUALITY
from equilag.pipeline.sources.check_history import check_files
from equilag.pipeline.sources.history import TableName, find_files

pytestmark = [pytest.mark.broker]

PROTOCOLS: Final = {"live-range": "range", "live-static": "cooperative-sticky"}


@pytest.fixture(scope="module")
def scene(broker: Broker) -> Iterator[Scene]:
    with made_scene(broker.bootstrap) as made:
        yield made


@pytest.fixture(scope="module")
def config(scene: Scene) -> Config:
    return kafka_config(scene.bootstrap)


def read(config: Config) -> Sample:
    """What a fleet's run reads."""
    with closing(ClusterSampler(config)) as sampler:
        return sampler.round(whole=True)


def test_rows_of_collect(scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "history"
    argv = ["collect", "--bootstrap-server", scene.bootstrap, "--out", str(folder)]
    assert main([*argv, "--rounds", "1", "--groups", "live-.*|left.*"]) == 0
    assert capsys.readouterr() == ("", "")
    table: TableName
    for table in ("offsets", "members", "racks"):  # as `equilag fleet --history` takes them
        check_files(find_files([str(folder / table)], table), table)
    offsets, members = history_rows(folder, "offsets"), history_rows(folder, "members")
    ends = scene.ends()
    assert {row["group"] for row in members} == {*LIVE, *LEFT}
    for group in LIVE:
        rows = [row for row in offsets if row["group"] == group]
        assert [(row["topic"], row["partition"]) for row in rows] == PARTITIONS
        committed = scene.committed(group)
        for row in rows:
            tp = row["topic"], row["partition"]
            bounds = row["log_start"], row["log_end"], row["committed"]
            assert bounds == (0, ends[tp], committed[tp])
            assert row["log_bytes"] > ends[tp]
        assert seen_in(members, group) == scene.seen(group)


def test_a_group_reader(scene: Scene, config: Config) -> None:
    with closing(GroupReader(config)) as reader:
        for name in LIVE:
            found = reader.read(name)
            assert found.remarks == [f"{NO_COMMIT}: users-1"]
            assert found.kind == ("consumer" if "848" in name else "classic")
            assert found.state == "Stable"
            assert found.protocol == PROTOCOLS.get(name, "uniform")
            assert scene.seen(name) == {
                one.id: Seen(list(one.topics), flat(one.owned.items()), one.rack, one.instance_id)
                for one in found.members
            }
            for one in found.members:
                assert (one.host, one.client_id) == (
                    "127.0.0.1",
                    LIVE[name].get("client.id", "equilag"),
                )
                assert (one.generation is None) == (found.kind == "classic")
            group = Group.build(**found.group_input("latest"))
            places = map(group.partition_name, range(group.n_partitions))
            assert dict(zip(places, group.lag.tolist(), strict=True)) == scene.lags(name)
            assert (group.owner >= 0).all()
            assert {member.host for member in group.members} == {"127.0.0.1"}
            assert group.racks == (("here",),) * len(PARTITIONS)
            assert {QUALITY[mark] for mark in group.quality} == {"ok", "no_commit"}
            # The lag alone can be read as well.
            assert reader.lags(name, TOPICS, timeout=5) == found.offsets
        every = reader.read_all(LIVE.__contains__)
        assert every.left_out == {}
        assert [one.group for one in every.groups] == sorted(LIVE)
        for name in LEFT:
            left = reader.read(name)
            assert (left.state, left.members) == ("Empty", [])
            assert left.remarks == ["no members, so nothing is subscribed", f"{NO_COMMIT}: users-1"]


def test_readers_disturb_no_member_and_leave_no_trace(scene: Scene, config: Config) -> None:
    before = read(config)
    for member in (member for members in scene.members.values() for member in members):
        member.poll(0.01)
    assert read(config).members == before.members | {"ts_ms": ANY}  # with epochs of KIP-848
    for name in LIVE:
        assert scene.owners(name).keys() == {*PARTITIONS}
    listed = admin_of(scene.bootstrap).list_consumer_groups().result().valid
    assert not any("equilag" in one.group_id for one in listed)


@pytest.mark.long
def test_static_members_that_left_for_a_while_keep_their_share(config: Config) -> None:
    for name, kind in (("away", RANGE), ("away-848", LIVE["live-848"])):
        settings = {name: {**kind, "group.instance.id": "static"}}
        with pairs(config, settings, (list(TOPICS), list(TOPICS)), PARTITIONS) as made:
            held = {f"static-{n}": owned_by(member) for n, member in enumerate(made[name])}
        rows = zip(*read(config).members.values(), strict=True)
        shown = [dict(zip(MEMBERS, row, strict=True)) for row in rows]
        seen = seen_in(shown, name).values()
        assert {member.instance: member.owned for member in seen} == held
        with closing(GroupReader(config)) as reader:
            group = Group.build(**reader.read(name).group_input())
        assert (group.owner >= 0).all()
        assert {member.generation for member in group.members} == {-1}


@pytest.mark.long
def test_a_deleted_group_is_gone(config: Config) -> None:
    with pairs(config, {"deleted": RANGE}, (list(TOPICS),), PARTITIONS) as made:
        made["deleted"][0].commit(offsets=[TopicPartition("orders", 0, 3)], asynchronous=False)
    assert "deleted" in read(config).offsets["group"]
    admin = admin_of(config["bootstrap.servers"])
    admin.delete_consumer_groups(["deleted"])["deleted"].result()
    assert "deleted" not in read(config).members["group"]


@pytest.mark.long
def test_commits_in_transactions_count_when_the_transaction_does(config: Config) -> None:
    name, here = "transactions", TopicPartition("orders", 0)
    producer = Producer({**config, "transactional.id": "live", "transaction.timeout.ms": 60_000})
    producer.init_transactions(PATIENCE_S)

    def committed() -> int | None:
        with closing(GroupReader(config)) as reader:
            (one,) = reader.read_all(name.__eq__).groups
        return one.offsets.committed["orders"][0]

    with pairs(config, {name: RANGE}, (list(TOPICS),), PARTITIONS) as made:
        (member,) = made[name]

        def send(offset: int) -> None:
            producer.begin_transaction()
            at = [TopicPartition("orders", 0, offset)]
            producer.send_offsets_to_transaction(at, member.consumer_group_metadata(), PATIENCE_S)

        send(5)
        producer.commit_transaction(PATIENCE_S)
        until(lambda: committed() == 5)
        send(9)
        producer.abort_transaction(PATIENCE_S)
        assert committed() == 5
        send(11)  # left open
        try:
            assert committed() == 5
        finally:
            producer.commit_transaction(PATIENCE_S)
        until(lambda: committed() == 11)
        assert member.committed([here], 10)[0].offset == 11
