"""What a reading makes of plain values: offsets, remarks, the snapshot. No broker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from equilag.adapters.kafka.described import Commits, Described, DescribedMember
from equilag.adapters.kafka.plain.plain_client import read_kip848
from equilag.adapters.kafka.reading import (
    NO_COMMIT,
    LogEnds,
    NamedTopics,
    Reading,
    TopicOffsets,
    lost_commits,
    topic_offsets,
)
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.group.lag import QUALITY

LEADERS = {"orders": {0: 1, 1: -1, 2: 1}, "users": {0: 2}, "audit": {0: 1}}
COMMITS = {("orders", 0): 3, ("orders", 1): 7, ("gone", 4): 1, ("users", 9): 1}
LOGS = LogEnds({("orders", 0): (0, 10), ("users", 0): (5, 20)}, {("orders", 1): "no leader"})
RACKS = {"orders": {0: ("r1", "r2"), 1: (), 2: ("r2",)}, "users": {0: ()}}


def offsets(*names: str) -> TopicOffsets:
    return topic_offsets(names, NamedTopics(LEADERS, racks=RACKS), Commits(COMMITS), LOGS)


def reading(*members: DescribedMember, **fields: Any) -> Reading:
    given = {"epoch": None, "offsets": offsets("users", "orders"), **fields}
    return Reading(
        "g", "classic", "Stable", "range", "2026-11-21T09:00:00Z", list(members), **given
    )


def test_remarks_on_offsets() -> None:
    assert offsets("users", "orders").remarks == [
        "lag unknown (no answer): orders-2",
        "lag unknown (no leader): orders-1",
        f"{NO_COMMIT}: users-0",
    ]


def test_a_leaderless_partition_in_the_snapshot() -> None:
    member = DescribedMember(
        "m", ("orders", "users"), owned={"orders": [1, 0], "users": [], "x": [2]}
    )
    document = snapshot_document(reading(member).group_input("earliest"))
    assert document["unknown_lags"] == {"orders": [1, 2]}
    assert document["offsets"]["orders"] == {
        "log_start": [0, 0, 0],
        "log_end": [10, 0, 0],
        "committed": [3, None, None],
    }
    assert document["members"] == [
        {"id": "m", "subscription": ["orders", "users"], "owned": {"orders": [0, 1], "x": [2]}}
    ]
    group = load_snapshot(document)
    assert group.lag.tolist() == [7, 0, 0, 15]
    assert [QUALITY[mark] for mark in group.quality] == ["ok", "unknown", "unknown", "no_commit"]
    assert (group.dropped_claims, group.taken_at) == (1, "2026-11-21T09:00:00Z")


def test_a_static_member_of_kip_848_that_may_come_back_keeps_its_share() -> None:
    """Its epoch is -2 until then."""
    held = [SimpleNamespace(topic_name="orders", partitions=[1])]
    gone = SimpleNamespace(
        member_id="a", subscribed_topic_names=["orders"], subscribed_topic_regex=None,
        assignment=SimpleNamespace(topic_partitions=held), rack_id=None, instance_id="i",
        member_epoch=-2, client_id="app", client_host="/10.0.0.7",
    )  # fmt: skip
    answer = {"error_code": 0, "group_state": "Stable", "group_epoch": 8, "members": [gone]}
    described = read_kip848(SimpleNamespace(**answer, assignor_name="uniform"), 1)
    assert isinstance(described, Described)
    group = load_snapshot(snapshot_document(reading(*described.members, epoch=8).group_input()))
    assert group.members[0].generation == -1
    assert (group.owner >= 0).tolist() == [False, True, False, False]


def test_all_fields_of_a_member() -> None:
    known: dict[str, Any] = {"rack": "r", "instance_id": "i", "generation": 7}
    known |= {"client_id": "app", "host": "10.0.0.7"}
    one = DescribedMember("a", ("orders",), **known)
    document = snapshot_document(reading(one, epoch=8).group_input())
    assert document["members"] == [{"id": "a", "subscription": ["orders"], **known}]
    (member,) = load_snapshot(document).members
    assert (member.client_id, member.host, member.generation) == ("app", "10.0.0.7", 7)
    assert load_snapshot(document).generation == 8


def test_racks_of_partitions_that_are_known() -> None:
    given = reading().group_input()
    assert given["racks"] == {"orders": [("r1", "r2"), (), ("r2",)]}
    document = snapshot_document(given)
    assert document["racks"] == {"orders": [["r1", "r2"], [], ["r2"]]}
    assert load_snapshot(document).racks == (("r1", "r2"), (), ("r2",), ())
    assert "racks" not in reading(offsets=offsets("users")).group_input()


def test_a_partition_without_a_commit_is_unknown_unless_the_reset_is_known() -> None:
    users = reading(offsets=offsets("users"))
    assert users.offsets.uncommitted == {"users": [0]}
    for reset, lag, quality in (
        (None, 0, "unknown"),
        ("latest", 0, "no_commit"),
        ("earliest", 15, "no_commit"),
    ):
        document = snapshot_document(users.group_input(reset))
        assert document.get("auto_offset_reset") == reset
        assert document.get("unknown_lags") == ({"users": [0]} if reset is None else None)
        group = load_snapshot(document)
        assert (group.lag.tolist(), QUALITY[group.quality[0]]) == ([lag], quality)
    assert offsets("users", "orders").without_lag == {"orders": [1, 2], "users": [0]}


def test_commits_for_deleted_partitions() -> None:
    assert lost_commits(COMMITS, LEADERS) == [
        "commits for deleted topics or partitions: gone-4 and 1 more"
    ]
    assert lost_commits({("users", 0): 1}, LEADERS) == []
