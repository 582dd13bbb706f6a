"""What descriptions and commits together tell about a group: its kind, its topics, remarks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from equilag.adapters.kafka.cluster import TopicLeaders
from equilag.adapters.kafka.described import Described, DescribedMember
from equilag.adapters.kafka.group_kinds import CLASSIC, CLASSIC_STREAMS
from equilag.adapters.kafka.sample_rows import Commits
from equilag.domain.show import some_of

_MAX_NAMES: Final = 5
"""Topics that a remark names: they fit on one line."""
_RECONCILING: Final = frozenset({"Assigning", "Reconciling"})
"""States of a KIP-848 group in which members still change partitions."""


def kind_of(described: Described, commits: Commits) -> str:
    """Return the kind of a group, which without members only its commits tell."""
    if described.kind == CLASSIC and not described.members and commits.by_streams:
        return CLASSIC_STREAMS
    return described.kind


def topics_of(described: Described) -> set[str]:
    """Return the topics that members name or own, without those that only a pattern matches."""
    found: set[str] = set()
    for member in described.members:
        found.update(member.topics)
        found.update(topic for topic, numbers in member.owned.items() if numbers)
    return found - {""}


def state_remarks(described: Described, commits: Collection[object]) -> list[str]:
    if not described.members:
        what = "" if commits else " and no commits"
        return [f"no members{what}, so nothing is subscribed"]
    if described.state in _RECONCILING:
        return [f"members are changing partitions ({described.state}); owned is what they hold now"]
    return []


def unknown_topics(members: list[DescribedMember], topics: TopicLeaders) -> list[str]:
    absent = sorted({name for one in members for name in one.topics if name not in topics})
    if not absent:
        return []
    return [f"subscribed topics that do not exist: {some_of(absent, _MAX_NAMES)}"]
