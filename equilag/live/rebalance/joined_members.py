"""The members of a rebalancing group as they joined, and the group that the planner takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equilag.adapters.snapshot.load import FORMAT, load_snapshot
from equilag.group import Group

Partitions = Mapping[str, Sequence[int]]
"""Topic -> partition numbers."""


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """One member of a rebalancing group, from its join request."""

    id: str
    topics: tuple[str, ...]
    claims: Partitions = field(default_factory=dict)
    """What it holds now: nobody else may get a partition before its holder has released it."""
    generation: int = -1
    """The generation of its claims; -1 if it did not report one."""
    instance_id: str | None = None
    rack: str | None = None
    hints: Partitions = field(default_factory=dict)
    """What it held before it released everything for an eager rebalance. Used only for stickiness,
    and only if it claims nothing."""


def group_of(
    name: str,
    members: Sequence[JoinedMember],
    sizes: Mapping[str, int],
    lags: Mapping[str, Sequence[int | None]] | None = None,
) -> Group:
    """The group as the planner takes it. `sizes` are the partitions of each topic, `lags` the
    records behind of each partition, None where nobody knows.

    A topic without an entry in `sizes` does not exist (yet). Lags of topics whose length is not
    the topic's size are of another time, and count as not known. Raises InputError.
    """
    known = {
        topic: lag
        for topic, lag in (lags or {}).items()
        if topic in sizes and len(lag) == sizes[topic]
    }
    unknown = {
        topic: [number for number, value in enumerate(lag) if value is None]
        for topic, lag in known.items()
    }
    snapshot: dict[str, Any] = {
        "format": FORMAT,
        "group": name,
        "topics": dict(sizes),
        "members": [_entry(member) for member in members],
        "lags": {topic: [value or 0 for value in lag] for topic, lag in known.items()},
    }
    if unknown := {topic: numbers for topic, numbers in unknown.items() if numbers}:
        snapshot["unknown_lags"] = unknown
    return load_snapshot(snapshot)


def _entry(member: JoinedMember) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": member.id, "subscription": list(member.topics)}
    owned = member.claims or member.hints
    if owned:
        entry["owned"] = {topic: list(numbers) for topic, numbers in owned.items()}
    if member.generation >= 0:
        entry["generation"] = member.generation
    if member.instance_id:
        entry["instance_id"] = member.instance_id
    if member.rack:
        entry["rack"] = member.rack
    return entry
