"""The rows of a sample, and descriptions of groups. No broker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from support.plain_fakes import LOADING, TOPIC_FORBIDDEN, FakeClient, fake_reader, listed

from equilag.adapters.kafka import sample as sampling
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.described import (
    Described,
    DescribedMember,
    NoAnswer,
    ReadFailure,
    resolved,
)
from equilag.adapters.kafka.group_kinds import CLASSIC_STREAMS
from equilag.adapters.kafka.plain.plain_client import read_classic, read_kip848
from equilag.adapters.kafka.sample import MEMBERS, OFFSETS, RACKS, ClusterSampler
from equilag.pipeline.sources import history

TOPICS = {"orders": (0, 1, 2), "payments": (0, 1), "audit": (0,)}
READ = {"orders": [1, 1, 1], "payments": [1, 2], "audit": [1], "odd": [-1], "no": TOPIC_FORBIDDEN}


def rows_of(table: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*table.values(), strict=True))


def sampler_of(
    monkeypatch: pytest.MonkeyPatch,
    client: FakeClient,
    **groups: tuple[str, Described | ReadFailure],
) -> ClusterSampler:
    """A sampler of the cluster that the client sees; each group has a kind and a description."""
    fake_reader(monkeypatch, client).close()
    client.groups = {1: [listed(name, kind) for name, (kind, _) in groups.items()]}
    planned = [one for kind, one in groups.values() if kind in ("classic", "consumer")]
    client.describing(*planned)
    return ClusterSampler(kafka_config("b:1"))


def stable(*members: DescribedMember) -> Described:
    return Described("classic", "Stable", "range", 1, list(members))


def test_the_columns_are_those_of_the_history() -> None:
    assert tuple(column.name for column in history.OFFSETS) == OFFSETS
    assert tuple(column.name for column in history.MEMBERS) == MEMBERS
    assert tuple(column.name for column in history.RACKS) == RACKS


def test_rows_of_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    owned = {"orders": [2, 0]}
    one = DescribedMember("m-1", ("orders", "gone"), None, owned, "r1", "static-1", 7, "c", "h")
    commits = {("orders", 0): 4, ("payments", 0): 5, ("lost", 3): 9, ("orders", 1): -LOADING}
    client = FakeClient(READ, commits)
    taken = sampler_of(monkeypatch, client, g=("classic", stable(one))).round()
    at = taken.ts_ms
    # Committed, but no longer subscribed; subscribed, without a commit; not with an unknown one.
    assert rows_of(taken.offsets) == [
        (at, "g", "orders", 0, 2, 7, 4, None),
        (at, "g", "orders", 2, 2, 7, None, None),
        (at, "g", "payments", 0, 2, 7, 5, None),
    ]
    assert rows_of(taken.members) == [
        (at, "g", "m-1", ["gone", "orders"], [("orders", [0, 2])], "r1", None, "static-1", 7, "c",
         "h", None, None)
    ]  # fmt: skip
    assert (taken.n_groups, taken.n_partitions, taken.lag) == (1, 3, 3 + 2)
    assert taken.remarks == [
        "group g: no commits: orders-1",
        *(
            f"broker {node} does not return the sizes of its logs: CLUSTER_AUTHORIZATION_FAILED"
            for node in (1, 2)
        ),
    ]


def test_every_group_has_rows_or_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan needs whole groups, a recording takes what can be read."""
    client = FakeClient(READ, {("orders", 0): 4})
    groups = {
        "all": ("classic", stable(DescribedMember("m", ("orders", "none")))),
        "empty": ("classic", Described("classic", "Empty", "", 1, [])),
        "busy": ("classic", ReadFailure("it is rebalancing", False)),
        "hidden": ("consumer", ReadFailure.of("GROUP_AUTHORIZATION_FAILED", 30)),
        "topic": ("consumer", ReadFailure.of("TOPIC_AUTHORIZATION_FAILED", 29)),
        "part": ("classic", stable(DescribedMember("m", ("no", "orders")))),
        "odd": ("classic", stable(DescribedMember("m", ("odd", "orders")))),
        "gone": ("classic", ReadFailure("it no longer exists", False, gone=True)),
        "shared": ("share", stable()),
        "app": ("classic", replace(stable(), kind=CLASSIC_STREAMS)),
    }
    left_out = {
        "busy": "it is rebalancing",
        "hidden": "needs the right Describe on Group 'hidden'",
        "topic": "needs the right Describe on every Topic of group 'topic'",
        "part": "needs the right Describe on Topic 'no'",
        "shared": "it is a share group (KIP-932)",
        "app": "it is a classic group of a Kafka Streams application",
    }
    taken = sampler_of(monkeypatch, client, **groups).round(whole=True)
    assert set(taken.members["group"]) == {"all", "empty"}
    assert taken.left_out == {**left_out, "odd": "lag unknown: odd-0"}
    taken = sampler_of(monkeypatch, client, **groups).round()
    assert set(taken.members["group"]) == {"all", "empty", "odd"}
    assert taken.left_out == left_out
    assert taken.remarks[0] == "no log ends (no leader): odd-0"


def test_a_cluster_whose_leaders_do_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be sampled, but groups can be listed."""
    client = FakeClient({"t": [2, -1]}, silent=[2])
    group = stable(DescribedMember("m", ("t",)))
    with pytest.raises(NoAnswer, match="too late"):
        sampler_of(monkeypatch, client, g=("classic", group)).round()
    with closing(fake_reader(monkeypatch, client)) as reader:
        client.describing(group)
        read = reader.read_all()
    assert [one.group for one in read.groups] == ["g"]
    assert read.logs.failed == {("t", 0): "KafkaTimeoutError: too late", ("t", 1): "no leader"}


def test_racks_are_sampled_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient({"t": [1, 2], "u": [1], "v": [1]})
    members = stable(DescribedMember("m", ("u", "t")))
    sampler = sampler_of(monkeypatch, client, g=("classic", members))
    client.describing(members, members, members)
    first = sampler.round()
    assert first.racks == {
        "ts_ms": [first.ts_ms] * 3,
        "topic": ["t", "t", "u"],
        "partition": [0, 1, 0],
        "racks": [["r1"]] * 3,
    }
    assert not sampler.round().racks["topic"]
    monkeypatch.setattr(sampling, "RACKS_EVERY_S", 0.0)
    assert sampler.round().racks["topic"] == ["t", "t", "u"]


def test_a_group_without_members_has_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient(READ, {("audit", 0): 100})
    taken = sampler_of(monkeypatch, client, g=("classic", stable())).round()
    assert rows_of(taken.members) == [(taken.ts_ms, "g", None, [], [], *[None] * 8)]
    assert taken.n_partitions == 1


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("orders|audit", ["audit", "orders"]),
        ("(^pay.*$)", ["payments"]),
        ("order", []),  # the whole name must match
        (".*", ["audit", "orders", "payments"]),
    ],
)
def test_patterns_match_whole_names(pattern: str, names: list[str]) -> None:
    (found,), remarks = resolved([DescribedMember("m", (), pattern)], TOPICS)
    assert ([*found.topics], remarks) == (names, [])


@pytest.mark.parametrize("pattern", ["[[:alpha:]]+", r"\Qorders\E", r"\pL+", "("])
def test_a_pattern_that_python_cannot_read(pattern: str) -> None:
    member = DescribedMember("m", ("audit",), pattern, {"orders": [1]})
    same = replace(member, id="n", owned={})
    found, (problem,) = resolved([member, same], TOPICS)
    assert [one.topics for one in found] == [("audit", "orders"), ("audit",)]
    assert repr(pattern) in problem


# Descriptions of groups, as kafka-python returns them.


def described(**fields: Any) -> SimpleNamespace:
    known = {"error_code": 0, "group_id": "g", "group_state": "Stable", "members": []}
    return SimpleNamespace(
        **known | {"protocol_type": "consumer", "protocol_data": "range"} | fields
    )


def member(metadata: bytes, assignment: bytes | memoryview) -> SimpleNamespace:
    known = {"member_id": "m", "group_instance_id": "i", "client_id": "c", "client_host": "/h"}
    return SimpleNamespace(**known, member_metadata=metadata, member_assignment=assignment)


@pytest.mark.parametrize("reads", [read_classic, read_kip848])
@pytest.mark.parametrize(
    ("fields", "unknown"),
    [
        ({"error_code": 30}, ReadFailure("GROUP_AUTHORIZATION_FAILED", False, forbidden="Group")),
        ({"error_code": 16}, ReadFailure("NOT_COORDINATOR")),
        ({"error_code": 69}, ReadFailure("it no longer exists", False, gone=True)),
        ({"group_state": "Dead"}, ReadFailure("it no longer exists", False, gone=True)),
    ],
)
def test_a_group_that_cannot_be_described(
    reads: Callable[..., object], fields: dict[str, Any], unknown: ReadFailure
) -> None:
    assert reads(described(**{"group_state": "", **fields}), 1) == unknown


def test_a_kip_848_group_without_a_right_on_its_topics_is_known_as_one() -> None:
    failed = read_kip848(described(group_state="Stable", error_code=29), 1)
    assert isinstance(failed, ReadFailure)
    assert (failed.forbidden, failed.kind) == ("Topic", "consumer")


def test_members_without_metadata() -> None:
    joining = member(b"", b"")
    rebalancing = described(group_state="PreparingRebalance", members=[joining])
    assert read_classic(rebalancing, 1) == ReadFailure(
        "it is rebalancing", state="PreparingRebalance", kind="classic"
    )
    broken = read_classic(described(members=[joining]), 1)
    assert broken.reason.startswith("a member's metadata cannot be read: ")
    assert not broken.transient
    empty = read_classic(described(group_state="Empty", protocol_data=""), 1)
    assert empty == Described("classic", "Empty", "", 1, [])


def test_a_group_of_another_protocol_type() -> None:
    connect = read_classic(described(protocol_type="connect"), 1)
    reason = "it is a group of Kafka Connect workers"
    assert connect == ReadFailure(reason, transient=False, state="Stable", kind="connect")
    assert read_classic(described(protocol_data="stream"), 1).kind == "classic-streams"


def test_a_member_of_a_classic_group() -> None:
    # Version 3: one topic, no user data, nothing owned, generation -1, an empty rack.
    metadata = b"\0\3" + b"\0\0\0\1\0\1t" + b"\xff" * 4 + b"\0" * 4 + b"\xff" * 4 + b"\0\0"
    assignment = b"\0\0" + b"\0\0\0\1\0\1t\0\0\0\2\0\0\0\0\0\0\0\5" + b"\xff" * 4
    read = read_classic(described(members=[member(metadata, memoryview(assignment))]), 3)
    one = DescribedMember("m", ("t",), None, {"t": [0, 5]}, None, "i", None, "c", "h")
    assert read == Described("classic", "Stable", "range", 3, [one])
