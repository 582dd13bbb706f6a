"""Requests to a cluster with made-up responses: no leader, no right, no answer. No broker."""

from __future__ import annotations

from contextlib import closing

import pytest
from support.plain_fakes import GONE, LOADING, TOPIC_FORBIDDEN, FakeClient, fake_reader, listed

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.described import (
    Described,
    DescribedMember,
    MissingRight,
    NoAnswer,
    ReadFailure,
    TemporarilyUnreadable,
)
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group


def group(kind: str = "classic", *members: DescribedMember) -> Described:
    return Described(kind, "Stable", "range", 3, list(members))


BUSY = ReadFailure("it is rebalancing", state="CompletingRebalance")


def test_a_rebalance_that_ends_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1]})
    reads = fake_reader(monkeypatch, client)
    client.describing(BUSY, BUSY, group())
    assert reads.read("g").state == "Stable"
    client.describing(*[BUSY] * 4)
    with pytest.raises(TemporarilyUnreadable) as caught:
        reads.read("g")
    assert caught.value.state == "CompletingRebalance"


def test_a_group_that_changes_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1]})
    reads = fake_reader(monkeypatch, client)
    client.describing(group("consumer"), group(), GONE, GONE)
    assert [reads.read("g").kind for _ in range(2)] == ["consumer", "classic"]
    with pytest.raises(InputError, match="there is no group"):
        reads.read("g")
    assert client.known == [None] * 4


def test_topics_that_are_missing_or_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1], "secret": TOPIC_FORBIDDEN}, {("lost", 0): 1})
    reads = fake_reader(monkeypatch, client)
    client.describing(group("classic", DescribedMember("m", ("secret", "t"))))
    with pytest.raises(MissingRight, match="a:1: needs the right Describe on Topic 'secret'"):
        reads.read("g")
    client.describing(group("classic", DescribedMember("m", ("gone", "t"))))
    with closing(reads):
        found = reads.read("g")
    assert found.remarks == [
        "subscribed topics that do not exist: gone",
        "commits for deleted topics or partitions: lost-0",
        f"{NO_COMMIT}: t-0",
    ]


@pytest.mark.parametrize("pattern", [None, "t|u"])
def test_racks_of_members_and_partitions(
    monkeypatch: pytest.MonkeyPatch, pattern: str | None
) -> None:
    client = FakeClient({"t": [1, 2], "other": [1]})
    client.racks = ("r1", "r2")
    reads = fake_reader(monkeypatch, client)
    names = () if pattern else ("t",)
    members = [DescribedMember(f"m{n}", names, pattern, rack=rack) for n, rack in enumerate("ab")]
    client.describing(group("consumer", *members))
    given = reads.read("g").group_input()
    assert given["racks"] == {"t": [("r2", "r1"), ("r1", "r2")]}
    assert [member.rack for member in Group.build(**given).members] == ["a", "b"]


def test_leaders_that_move_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1, -1]}, moved=2)
    reads = fake_reader(monkeypatch, client)
    client.describing(group("classic", DescribedMember("m", ("t",))))
    offsets = reads.read("g").offsets
    assert offsets.log_end == {"t": [7, None]}
    assert client.requested == [(1, "t", 0)] * 2


def test_groups_of_all_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1]}, silent=[2])
    client.groups = {1: [listed("a", "classic"), listed("b", "consumer")], 2: [listed("c", "")]}
    with closing(fake_reader(monkeypatch, client)) as reads:
        client.describing(group(), group("consumer"))
        found = reads.read_all()
        assert [one.group for one in found.groups] == ["a", "b"]
        assert client.known == [False, True]
        assert found.remarks == ["not all groups are listed: KafkaTimeoutError: too late"]
        client.groups, client.silent = {1: [], 2: LOADING}, ()
        (remark,) = reads.read_all().remarks
        assert remark == "not all groups are listed: COORDINATOR_LOAD_IN_PROGRESS"
        client.silent = (1, 2)
        with pytest.raises(NoAnswer, match="too late"):
            reads.read_all()
    assert client.closed


def test_an_unknown_isolation_level() -> None:
    with pytest.raises(InputError, match="isolation: 'serializable' is none of"):
        GroupReader(kafka_config("a:1"), isolation="serializable")
