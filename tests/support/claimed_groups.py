"""Groups whose claims are stale, contested or void: from conformance cases, snapshots, at random.

`support.groups` has those with an owner or none for each partition.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.group.group import NOBODY, Group, Index

Snapshot = dict[str, Any]
Named = dict[str, list[tuple[str, int]]]

IDS = ("a", "b", "c1", "c10", "c2", "c3")
TOPICS = ("t0", "t1", "t10", "t2")


def load(snapshot: Snapshot) -> Group:
    """The group of a snapshot, whose format and name may be left out."""
    return load_snapshot({"format": "equilag/snapshot/1", "group": "test", **snapshot})


def load_case(case: dict[str, Any]) -> Group:
    """The group of a conformance case; claims of departed members are left out."""
    snapshot: Snapshot = {"group": case["id"], "topics": case["topics"], "members": []}
    generations = case.get("generations", {})
    if generations:
        snapshot["generation"] = max(generations.values())
    for field in ("lags", "offsets", "auto_offset_reset"):
        if field in case:
            snapshot[field] = case[field]
    racks = case.get("racks", {"members": {}})
    if "partitions" in racks:
        snapshot["racks"] = racks["partitions"]
    for name, subscription in case["members"].items():
        member: dict[str, Any] = {"id": name, "subscription": subscription, "owned": {}}
        for topic, partition in case.get("current", {}).get(name, []):
            member["owned"].setdefault(topic, []).append(partition)
        if name in generations:
            member["generation"] = generations[name]
        if name in case.get("instances", {}):
            member["instance_id"] = case["instances"][name]
        if name in racks["members"]:
            member["rack"] = racks["members"][name]
        snapshot["members"].append(member)
    return load(snapshot)


def named(group: Group, assigned: Index) -> Named:
    """An assignment by names: member id -> partitions that it holds, ascending."""
    held: Named = {member.id: [] for member in group.members}
    for partition, m in enumerate(assigned.tolist()):
        if m != NOBODY:
            held[group.members[m].id].append(group.partition_name(partition))
    return held


@st.composite
def snapshots(
    draw: st.DrawFn, one_subscription: bool = False, max_members: int = 5, max_size: int = 6
) -> Snapshot:
    """Small groups: topics without partitions, idle members, stale and contested claims, ties.

    All members subscribe to the same topics with `one_subscription`.
    """
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


def groups(**narrow: Any) -> st.SearchStrategy[Group]:
    """The same, loaded."""
    return snapshots(**narrow).map(load)
