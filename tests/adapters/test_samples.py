"""The groups in samples/: as snapshots, and again from what Kafka printed of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.paths import SAMPLES

from equilag.adapters.describe.describe_text import read_describe
from equilag.adapters.describe.printed_text import PrintedText
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.group.lag import QUALITY

GROUPS = ("audit", "stats", "token-indexer")


def text(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "members", "partitions", "no_commit", "lag"),
    [
        ("audit", 4, 88, 62, 1125238),
        ("stats", 6, 88, 39, 1079993),
        ("token-indexer", 7, 48, 0, 435762),
    ],
)
def test_snapshots(name: str, members: int, partitions: int, no_commit: int, lag: int) -> None:
    group = load_snapshot(SAMPLES / f"{name}.snapshot.json")
    assert group.name == name
    assert (group.n_members, group.n_partitions) == (members, partitions)
    assert (group.quality == QUALITY.index("no_commit")).sum() == no_commit
    assert group.lag.sum() == lag
    assert (group.owner != NOBODY).all()
    assert group.dropped_claims == 0


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("with_members", [False, True])
@pytest.mark.parametrize("mode", ["all", "as owned", "subscribe"])
def test_describe_gives_the_same_group(name: str, with_members: bool, mode: str) -> None:
    path = SAMPLES / f"{name}.snapshot.json"
    wanted = load_snapshot(path)
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["members"]
    result = read_describe(
        PrintedText(text(f"{name}.describe.txt")),
        PrintedText(text(f"{name}.members.txt")) if with_members else None,
        subscribe={e["id"]: e["subscription"] for e in entries} if mode == "subscribe" else {},
        as_owned=mode == "as owned",
        auto_offset_reset="earliest",
    )
    group = Group.build(**result.given)
    assert group.name == wanted.name
    assert group.taken_at is None
    assert group.topics == wanted.topics
    assert group.topic_start.tolist() == wanted.topic_start.tolist()
    assert [member.id for member in group.members] == [member.id for member in wanted.members]
    assert group.lag.tolist() == wanted.lag.tolist()
    assert group.quality.tolist() == wanted.quality.tolist()
    assert group.owner.tolist() == wanted.owner.tolist()
    same = group.class_of.tolist() == wanted.class_of.tolist()
    assert same == (mode != "all" or name != "stats")
