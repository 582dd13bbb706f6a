"""Groups for the tests of assignors: from sample cases, from snapshots, and at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from equilag.adapters.snapshot.load import load_snapshot
from equilag.group import NOBODY, Group, Index

Snapshot = dict[str, Any]
Named = dict[str, list[tuple[str, int]]]

IDS = ("a", "b", "c1", "c10", "c2", "c3")
TOPICS = ("t0", "t1", "t10", "t2")


def _load(snapshot: Snapshot) -> Group:
    return load_snapshot({"format": "equilag/snapshot/1", "group": "test", **snapshot})


def _snapshot_of(case: dict[str, Any]) -> Snapshot:
    """A sample case as a snapshot; claims of departed members have no place in one."""
    snapshot: Snapshot = {"group": case["id"], "topics": case["topics"], "members": []}
    generations = case.get("generations", {})
    if generations:
        snapshot["generation"] = max(generations.values())
    for field in ("lags", "offsets", "auto_offset_reset"):
        if field in case:
            snapshot[field] = case[field]
    for name, subscription in case["members"].items():
        member: dict[str, Any] = {"id": name, "subscription": subscription, "owned": {}}
        for topic, partition in case.get("current", {}).get(name, []):
            member["owned"].setdefault(topic, []).append(partition)
        if name in generations:
            member["generation"] = generations[name]
        if name in case.get("instances", {}):
            member["instance_id"] = case["instances"][name]
        snapshot["members"].append(member)
    return snapshot


def _named(group: Group, assigned: Index) -> Named:
    held: Named = {member.id: [] for member in group.members}
    for partition, m in enumerate(assigned.tolist()):
        if m != NOBODY:
            held[group.members[m].id].append(group.partition_name(partition))
    return held


@st.composite
def _snapshots(
    draw: st.DrawFn, one_subscription: bool = False, max_members: int = 5, max_size: int = 6
) -> Snapshot:
    """Small groups: topics without partitions, idle members, stale and contested claims, ties."""
    topics = draw(
        st.dictionaries(st.sampled_from(TOPICS), st.integers(0, max_size), min_size=1, max_size=4)
    )
    ids = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=max_members))
    subscriptions = st.lists(st.sampled_from([*topics, "not-yet"]), unique=True)
    shared = draw(subscriptions)
    claims = st.dictionaries(
        st.sampled_from([*topics, "gone"]), st.lists(st.integers(0, max_size), unique=True)
    )
    members = []
    for name in ids:
        member: dict[str, Any] = {
            "id": name,
            "subscription": shared if one_subscription else draw(subscriptions),
            "owned": draw(claims),
            "generation": draw(st.integers(-1, 3)),
        }
        if draw(st.booleans()):
            # Against the order of the ids, so that it shows.
            member["instance_id"] = f"i{len(IDS) - IDS.index(name)}"
        members.append(member)
    lag = st.sampled_from([0, 1, 2, 3, 50, 2**52])
    return {
        "topics": topics,
        "members": members,
        "generation": 3,
        "lags": {topic: draw(st.lists(lag, min_size=n, max_size=n)) for topic, n in topics.items()},
    }


@pytest.fixture(scope="session")
def load() -> Callable[[Snapshot], Group]:
    """A snapshot, as a dict, to its group; its format and name may be left out."""
    return _load


@pytest.fixture(scope="session")
def load_case() -> Callable[[dict[str, Any]], Group]:
    """A sample case to its group."""
    return lambda case: _load(_snapshot_of(case))


@pytest.fixture(scope="session")
def named() -> Callable[[Group, Index], Named]:
    """An assignment by names: what each member holds, ascending."""
    return _named


@pytest.fixture(scope="session")
def snapshots() -> Callable[..., st.SearchStrategy[Snapshot]]:
    """A strategy for snapshots; `one_subscription`, `max_members`, `max_size` to narrow it."""
    return _snapshots


@pytest.fixture(scope="session")
def groups() -> Callable[..., st.SearchStrategy[Group]]:
    """The same, loaded."""
    return lambda **narrow: _snapshots(**narrow).map(_load)
