"""Kinds of groups, from lists, descriptions and commits. No broker."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.plain_fakes import GONE, FakeClient, fake_reader, listed

from equilag.adapters.kafka.described import (
    Described,
    MissingRight,
    ReadFailure,
    TemporarilyUnreadable,
    UnplannableGroup,
)
from equilag.adapters.kafka.group_kinds import classic_kind, committed_by_streams

STREAMS_METADATA = "AgAAAaIE16Co"
"""Of a commit of Kafka Streams 4.3.1."""


def test_kinds_of_classic_groups() -> None:
    assert classic_kind("consumer", "range", ["app", None]) == "classic"
    assert classic_kind("connect", "sessioned", []) == "connect"
    assert classic_kind("consumer", "stream", ["app"]) == "classic-streams"
    client = "app-4b7b694e-StreamThread-1-consumer"
    assert classic_kind("consumer", "", [client]) == "classic-streams"


def test_commits_of_kafka_streams() -> None:
    assert committed_by_streams([STREAMS_METADATA, "AQAAAaIE16Co"])
    assert not committed_by_streams([])
    assert not committed_by_streams([STREAMS_METADATA, None])
    assert not committed_by_streams(["not base64"])
    assert not committed_by_streams(["AgAA"])
    assert not committed_by_streams(["ZXF1aWxhZ2VxdWls"])


def test_no_group_is_left_out_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1]}, {("t", 0): 3})
    client.groups = {
        1: [listed("a", "share"), listed("b", "streams"), listed("c", "classic", "connect")],
        2: [listed("d", "classic"), listed("e", "classic"), listed("no", "share")],
    }
    client.metadata = STREAMS_METADATA
    reader = fake_reader(monkeypatch, client)
    busy = ReadFailure("it is rebalancing", state="PreparingRebalance", kind="classic-streams")
    client.describing(Described("classic", "Empty", "", 1, []), *[busy] * 4)
    found = reader.read_all(lambda name: name != "no")
    assert {name: tuple(one) for name, one in found.others.items()} == {
        "a": ("share", "Empty"),
        "b": ("streams", "Empty"),
        "c": ("connect", "Empty"),
        "e": ("classic-streams", "PreparingRebalance"),
    }
    assert [(one.group, one.kind) for one in found.groups] == [("d", "classic-streams")]
    assert found.left_out == {}


def test_a_group_of_another_kind_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1]}, {("t", 0): 3})
    reader = fake_reader(monkeypatch, client)
    client.groups = {1: [listed("g", "share")]}
    client.describing(GONE, GONE)
    start = "a:1: group 'g' exists, but equilag does not plan it. It is "
    with pytest.raises(UnplannableGroup, match=f"{start}a share group") as caught:
        reader.read("g")
    assert caught.value.kind == "share"
    connect = ReadFailure("it is a group", transient=False, kind="connect")
    client.describing(connect)
    with pytest.raises(UnplannableGroup, match=f"{start}a group of Kafka Connect workers"):
        reader.read("g")
    client.metadata = STREAMS_METADATA
    client.describing(Described("classic", "Empty", "", 1, []))
    with pytest.raises(UnplannableGroup, match=f"{start}a classic group of a Kafka Streams"):
        reader.read("g")


def test_whether_a_group_may_be_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1]}, {("t", 0): 3})
    reader = fake_reader(monkeypatch, client)
    empty = Described("classic", "Empty", "", 1, [])
    busy = ReadFailure("it is rebalancing", state="PreparingRebalance", kind="classic")
    refused = ReadFailure.of("GROUP_AUTHORIZATION_FAILED", 30)
    connect = ReadFailure("it is a group", transient=False, kind="connect")
    new = Described("consumer", "Stable", "uniform", 1, [])
    hidden = replace(ReadFailure.of("TOPIC_AUTHORIZATION_FAILED", 29), kind="consumer")
    client.describing(new, hidden, busy, empty, GONE, empty, refused, connect, empty)
    assert [reader.check_kind("g") for _ in range(2)] == ["consumer"] * 2
    assert [reader.check_kind("g") for _ in range(3)] == ["classic", "classic", ""]
    client.metadata = STREAMS_METADATA
    with pytest.raises(UnplannableGroup):
        reader.check_kind("g")
    with pytest.raises(MissingRight):
        reader.check_kind("g")
    with pytest.raises(UnplannableGroup):
        reader.check_kind("g")
    client.commits = 14
    with pytest.raises(TemporarilyUnreadable):
        reader.check_kind("g")
